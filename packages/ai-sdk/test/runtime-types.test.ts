import type { ChatTransport as ChatTransport6, UIMessage as UIMessage6 } from "ai6";
import type { ChatTransport as ChatTransport7, UIMessage as UIMessage7 } from "ai7";
import { describe, expectTypeOf, test } from "vitest";
import { createEventTransform } from "../src/event-transform.ts";
import type { RuntimeDataParts, RuntimeMetadata } from "../src/runtime-events.ts";
import { createRuntimeTransport } from "../src/runtime-transport.ts";
import { ScriptedRuntime } from "./runs.ts";

/** The compiler is the test: these fail in the type check, not at run time. */

type Message6 = UIMessage6<RuntimeMetadata, RuntimeDataParts>;
type Message7 = UIMessage7<RuntimeMetadata, RuntimeDataParts>;

describe("INP13 types", () => {
  const transport = createRuntimeTransport(new ScriptedRuntime());

  test("INP13 the transport is one of AI SDK 6 and 7, for any message", () => {
    expectTypeOf(transport).toExtend<ChatTransport6<UIMessage6>>();
    expectTypeOf(transport).toExtend<ChatTransport7<UIMessage7>>();
    expectTypeOf(transport).toExtend<ChatTransport6<Message6>>();
    expectTypeOf(transport).toExtend<ChatTransport7<Message7>>();
  });

  test("INP13 a transport made for one kind of message gives that kind to the command", () => {
    const typed = createRuntimeTransport<Message7>(new ScriptedRuntime(), {
      command: (draft, { messages }) => {
        expectTypeOf(draft.message).toEqualTypeOf<Message7>();
        expectTypeOf(messages).toEqualTypeOf<readonly Message7[]>();
        return draft;
      },
    });
    expectTypeOf(typed).toExtend<ChatTransport7<Message7>>();
  });

  test("INP13 data parts and metadata are typed in the client", () => {
    type Part6 = Extract<Message6["parts"][number], { type: "data-flow-status" }>;
    type Part7 = Extract<Message7["parts"][number], { type: "data-node-output" }>;
    expectTypeOf<Part6["data"]["status"]>().toEqualTypeOf<"running" | "paused" | "completed" | "failed" | "aborted">();
    expectTypeOf<Part6["data"]["prompt"]>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Part7["data"]>().toEqualTypeOf<{ nodeId: string; output: unknown }>();
    expectTypeOf<NonNullable<Message7["metadata"]>["cost"]>().toEqualTypeOf<number | undefined>();
    expectTypeOf<{ type: "data-flow-status"; data: { status: "asleep" } }>().not.toExtend<Message7["parts"][number]>();
  });

  test("INP13 a mapping must know every event of the other vocabulary", () => {
    type Theirs = { type: "says"; words: string } | { type: "done" };
    // @ts-expect-error -- `done` is missing
    createEventTransform<Theirs>(() => ({ says: ({ words }) => [{ type: "agent:text", text: words }] }));
    // @ts-expect-error -- `agent:shouts` is none of ours
    createEventTransform<Theirs>(() => ({ says: () => [], done: () => [{ type: "agent:shouts" }] }));
    // @ts-expect-error -- a text needs its text
    createEventTransform<Theirs>(() => ({ says: () => [], done: () => [{ type: "agent:text" }] }));
  });
});
