import { z } from "zod";

/** Who is asking, until when that holds, and by which API token, which may be revoked before. */
export const access = z.object({ user: z.string(), expiresAt: z.number(), tokenId: z.string().optional() });
export type Access = z.infer<typeof access>;
