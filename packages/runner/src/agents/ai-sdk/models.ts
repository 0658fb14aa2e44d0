import type { LanguageModel } from "ai";
import type { ProviderSettings } from "./settings.ts";

/** A model by its name. A provider's package is loaded when it is wanted. */
export async function loadModel(
  provider: ProviderSettings,
  model: string,
  key: string | undefined,
): Promise<LanguageModel> {
  const options = { ...(provider.baseUrl ? { baseURL: provider.baseUrl } : {}), ...(key ? { apiKey: key } : {}) };
  switch (provider.type) {
    case "openai-compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      return createOpenAICompatible({ ...options, name: provider.name, baseURL: provider.baseUrl, includeUsage: true })(
        model,
      );
    }
    case "openai":
      return (await import("@ai-sdk/openai")).createOpenAI(options)(model);
    case "anthropic":
      return (await import("@ai-sdk/anthropic")).createAnthropic(options)(model);
    case "google":
      return (await import("@ai-sdk/google")).createGoogle(options)(model);
    default:
      return provider satisfies never;
  }
}
