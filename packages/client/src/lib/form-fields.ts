import { z } from "zod";

const property = z.looseObject({
  type: z.enum(["string", "number", "integer", "boolean"]).optional(),
  title: z.string().optional(),
  description: z.string().optional(),
  default: z.unknown().optional(),
  enum: z.array(z.union([z.string(), z.number()])).optional(),
  enumNames: z.array(z.string()).optional(),
});
const objectSchema = z.looseObject({
  properties: z.record(z.string(), property).optional(),
  required: z.array(z.string()).optional(),
});

export type FormField = {
  name: string;
  label: string;
  kind: "string" | "number" | "integer" | "boolean" | "choice";
  numeric: boolean;
  description?: string;
  required: boolean;
  initial?: string;
  options?: { value: string; label: string }[];
};

/** The fields of a form that a JSON Schema describes; undefined where it asks for more than simple inputs. */
export function fieldsOf(schema: Record<string, unknown> | undefined): FormField[] | undefined {
  const parsed = objectSchema.safeParse(schema ?? {}).data;
  if (!parsed) return undefined;
  const required = new Set(parsed.required);
  return Object.entries(parsed.properties ?? {}).map(([name, entry]) => {
    const options = entry.enum?.map((value, at) => ({
      value: String(value),
      label: entry.enumNames?.[at] ?? String(value),
    }));
    return {
      name,
      label: entry.title ?? name,
      kind: options ? "choice" : (entry.type ?? "string"),
      numeric: entry.type === "number" || entry.type === "integer",
      description: entry.description,
      required: required.has(name),
      initial: entry.default === undefined ? undefined : String(entry.default),
      options,
    };
  });
}

/** What the person filled in, in the types the schema wants. What was left empty is left out. */
export function contentOf(fields: readonly FormField[], form: FormData): Record<string, unknown> {
  const content: Record<string, unknown> = {};
  for (const field of fields) {
    const raw = form.get(field.name);
    if (field.kind === "boolean") content[field.name] = raw !== null;
    else if (typeof raw === "string" && raw !== "") content[field.name] = field.numeric ? Number(raw) : raw;
  }
  return content;
}
