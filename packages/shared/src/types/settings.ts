import { z } from "zod";

/** What `GET /api/settings` tells everybody. */
export const publicSettings = z.object({
  /** How people sign in: by a link of this installation, or with a token of the operator's identity provider. */
  signIn: z.enum(["link", "token"]),
  /** Where the page counts what happens, where the operator wants that: a PostHog project's key and its server. */
  telemetry: z.object({ key: z.string(), host: z.url() }).optional(),
});
export type PublicSettings = z.infer<typeof publicSettings>;
