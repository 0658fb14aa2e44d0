import { z } from "zod";

export type ReleaseName = "5-strict" | "5" | "6" | "7";

/** Why a client of this release would refuse the value, if it would. */
export type Refuses = (value: unknown) => Promise<string | undefined>;

type Validation = { readonly success: boolean; readonly error?: unknown };
type SdkModule = {
  uiMessageChunkSchema(): { validate?: (value: unknown) => Validation | PromiseLike<Validation> };
};

/** The SDK's own packages, loaded when they are needed: together they are some 40 MB. */
const MODULES: Record<ReleaseName, () => Promise<SdkModule>> = {
  "5-strict": () => import("ai5strict"),
  "5": () => import("ai5"),
  "6": () => import("ai6"),
  "7": () => import("ai7"),
};

export const RELEASE_NAMES: readonly ReleaseName[] = ["5-strict", "5", "6", "7"];

/** `undefined` where the release is not installed. */
export async function loadRelease(name: ReleaseName): Promise<Refuses | undefined> {
  const sdk = await MODULES[name]().catch(() => undefined);
  const schema = sdk?.uiMessageChunkSchema();
  if (!schema) return undefined;
  return async (value) => {
    const validation = await schema.validate?.(value);
    return validation?.success === false ? reasonIn(validation.error) : undefined;
  };
}

const issue = z.object({ message: z.string(), path: z.array(z.union([z.string(), z.number()])) });
const unionError = z.object({ issues: z.array(z.object({ errors: z.array(z.array(issue)) })).min(1) });

/** The schema is a union of all chunks; what counts is what the member with the right `type` says. */
function reasonIn(error: unknown): string {
  const parsed = unionError.safeParse(error);
  const members = parsed.success ? parsed.data.issues.flatMap(({ errors }) => errors) : [];
  const member = members.find((issues) => issues.every(({ path }) => path[0] !== "type"));
  if (!member) return "the type is unknown";
  return member.map(({ message, path }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`)).join("; ");
}
