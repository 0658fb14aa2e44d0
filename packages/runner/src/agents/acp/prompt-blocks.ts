import type { AgentPrompt } from "../../agent-client.ts";

export interface PromptCapabilities {
  image?: boolean | undefined;
  audio?: boolean | undefined;
  embeddedContext?: boolean | undefined;
}

type Block =
  | { type: "text"; text: string }
  | { type: "image" | "audio"; data: string; mimeType: string }
  | {
      type: "resource";
      resource: { uri: string; mimeType: string; text: string } | { uri: string; mimeType: string; blob: string };
    };

const DATA_URL = /^data:([^;,]*)(?:;[^,]*?)?(;base64)?,/;

/** A prompt as blocks of content; a file that the agent cannot take is named in its place. */
export function promptBlocks({ text, attachments = [] }: AgentPrompt, can: PromptCapabilities): Block[] {
  const files = attachments.map(({ url, mediaType, filename }): Block => {
    const data = base64Of(url);
    const kind = mediaType.split("/")[0];
    if (kind === "image" && can.image) return { type: "image", data, mimeType: mediaType };
    if (kind === "audio" && can.audio) return { type: "audio", data, mimeType: mediaType };
    const uri = `attachment:///${encodeURIComponent(filename ?? "file")}`;
    if (!can.embeddedContext) return { type: "text", text: `[A file that cannot be shown: ${filename ?? mediaType}]` };
    if (kind !== "text") return { type: "resource", resource: { uri, mimeType: mediaType, blob: data } };
    return {
      type: "resource",
      resource: { uri, mimeType: mediaType, text: Buffer.from(data, "base64").toString("utf8") },
    };
  });
  return text === "" ? files : [...files, { type: "text", text }];
}

function base64Of(url: string): string {
  const match = DATA_URL.exec(url);
  const body = url.slice(match?.[0].length ?? 0);
  return match?.[2] ? body : Buffer.from(decodeURIComponent(body)).toString("base64");
}
