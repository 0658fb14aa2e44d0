import type { Desk, FlowNode } from "./flow-run.ts";

/** Agents that need no model: a researcher, then a writer, then an editor. Words in the prompt make things go wrong. */

const FACTS = [
  "The first known lighthouse stood at Alexandria and was over a hundred metres high.",
  "Fresnel's lens of 1822 bends light that would be lost into one beam.",
  "Almost every lighthouse has run without a keeper since the 1990s.",
];

export const SUGGESTIONS = [
  "Write about lighthouses",
  "Write with a broken tool",
  "Write with an agent that fails",
  "Write, but ask me first",
  "Write at length",
];

const wants = (desk: Desk, word: string) => desk.prompt.toLowerCase().includes(word);

const researcher: FlowNode = {
  id: "researcher",
  async work(desk) {
    await desk.think("What is known about this? I will look it up and keep what can be checked.");
    const found = await desk.use("search", { query: desk.prompt }, () => FACTS.map((_, at) => `source-${at + 1}`));
    const read = await desk.use("read", { sources: found }, () => {
      if (wants(desk, "broken tool")) throw new Error("The library is closed today.");
      return FACTS;
    });
    await desk.write(
      read ? `I found ${read.length} facts. ` : "I could not read the sources, so this is from memory. ",
    );
    return { facts: read?.length ?? 0 };
  },
};

const writer: FlowNode = {
  id: "writer",
  async work(desk) {
    if (wants(desk, "agent that fails")) throw new Error("The model refused to write.");
    const wanted = wants(desk, "ask me") ? await desk.ask("Which tone shall the essay have?") : "";
    const tone = wanted || "plain";
    await desk.think(`A short essay in a ${tone} tone.`);
    await desk.write(`Here is the essay, in a ${tone} tone. `);
    const times = wants(desk, "at length") ? 200 : 1;
    for (let time = 0; time < times; time += 1) await desk.write(`${FACTS.join(" ")} `);
    return { tone };
  },
};

const editor: FlowNode = {
  id: "editor",
  async work(desk) {
    await desk.write("I read it once more and changed nothing.");
    return { checked: [...desk.outputs.keys()] };
  },
};

export const ESSAY_FLOW = { name: "essay", nodes: [researcher, writer, editor] };
