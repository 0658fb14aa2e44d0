import { z } from "zod";

const choice = z.looseObject({ value: z.string(), name: z.string().optional() });
const group = z.looseObject({ options: z.array(choice) });
const configOption = z.looseObject({
  id: z.string(),
  category: z.string().nullish(),
  currentValue: z.unknown(),
  options: z.array(z.union([group, choice])).optional(),
});
/** Agents tell their models as an option of the session, or in a list of their own. */
const sessionAnswer = z.looseObject({
  configOptions: z.array(configOption).nullish().catch(undefined),
  models: z
    .looseObject({
      availableModels: z.array(z.looseObject({ modelId: z.string(), name: z.string().optional() })),
      currentModelId: z.string(),
    })
    .nullish()
    .catch(undefined),
});

type Model = { id: string; name: string };

export interface ModelChoice {
  models: Model[];
  /** The one that it begins with; a prompt that names none gets this. */
  usual: string;
  /** The request that chooses one. */
  choose(sessionId: string, model: string): { method: string; params: object };
}

/** Which models an agent offers in its answer to `session/new` and the like; undefined where it says nothing. */
export function modelChoice(answer: unknown): ModelChoice | undefined {
  const { configOptions, models } = sessionAnswer.safeParse(answer).data ?? {};
  const option = configOptions?.find(({ category, id }) => category === "model" || id === "model");
  if (option?.options) {
    const choices = option.options.flatMap((entry) =>
      "options" in entry ? group.parse(entry).options : [choice.parse(entry)],
    );
    return {
      models: choices.map(({ value, name }) => ({ id: value, name: name ?? value })),
      usual: String(option.currentValue),
      choose: (sessionId, value) => ({
        method: "session/set_config_option",
        params: { sessionId, configId: option.id, value },
      }),
    };
  }
  if (!models) return undefined;
  return {
    models: models.availableModels.map(({ modelId, name }) => ({ id: modelId, name: name ?? modelId })),
    usual: models.currentModelId,
    choose: (sessionId, modelId) => ({ method: "session/set_model", params: { sessionId, modelId } }),
  };
}
