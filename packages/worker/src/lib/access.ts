import { z } from "zod";

/** ACL11: a visitor of a page, let in by an owner of the session. */
const widget = z.object({ sessionId: z.string(), origin: z.string(), by: z.string() });
export type Widget = z.infer<typeof widget>;

/**
 * Who is asking, until when that holds, and by which API token, which may be revoked before. A visitor depends on the
 * API token that their own was made with.
 */
export const access = z.object({
  user: z.string(),
  expiresAt: z.number(),
  tokenId: z.string().optional(),
  widget: widget.optional(),
});
export type Access = z.infer<typeof access>;
