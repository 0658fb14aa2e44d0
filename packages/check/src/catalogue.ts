type Entry = {
  /** What holds when the check passes. */
  readonly title: string;
  /** What it does to real clients when it does not. */
  readonly why: string;
  readonly fix: string;
};

const SCHEMA_FIX = "Send only chunk types and values of this release, and no key that its schema does not name.";
const REFUSAL_WHY =
  "The body of a refusal becomes the message of the client's error; a 200 without a stream leaves it ready, with no answer and no error.";

/** Every check, in the order in which they are told. Ids are stable: scripts may rely on them. */
export const CATALOGUE = {
  "answer.status": {
    title: "a chat request is answered with 2xx",
    why: "Any other status, and 204 too, puts the client in error with the body's text as its message.",
    fix: "Accept the AI SDK's body {id, messages, trigger, messageId?} and answer 200 with a stream.",
  },
  "answer.body": {
    title: "the answer has a body",
    why: "An empty 200 leaves the client ready, without a message and without an error, so nobody learns that it failed.",
    fix: "Return the stream as the body; where there is none to return, answer with an error status.",
  },
  "headers.content-type": {
    title: "content-type is text/event-stream",
    why: "Clients do not look and find no frames in other content, so they end ready with nothing; proxies buffer it.",
    fix: "Send content-type: text/event-stream.",
  },
  "headers.cache-control": {
    title: "cache-control keeps the stream out of caches",
    why: "Proxies and browsers may keep or rewrite what is not marked, which matters most for the GET that resumes.",
    fix: "Send cache-control: no-cache.",
  },
  "headers.protocol": {
    title: "x-vercel-ai-ui-message-stream is v1",
    why: "It names the protocol to tools and gateways; the SDK's own servers always send it.",
    fix: "Send x-vercel-ai-ui-message-stream: v1.",
  },
  "headers.buffering": {
    title: "x-accel-buffering is no",
    why: "nginx holds a stream back until its buffer is full unless it is told not to; it takes the header away itself.",
    fix: "Send x-accel-buffering: no, unless an nginx in front of the endpoint has already consumed it.",
  },
  "framing.lines": {
    title: "every line is a field of an event stream or a comment",
    why: "Clients pass over other lines without a word, so what they carry is lost.",
    fix: 'Write each chunk as "data: JSON" and a blank line.',
  },
  "framing.json": {
    title: "every data line is JSON that clients accept",
    why: "Clients parse whatever stands after data:, and one line that is not JSON ends the answer in an error.",
    fix: "Put nothing but chunks into data lines; tell failures as {type: error, errorText}, not as text.",
  },
  "framing.empty-data": {
    title: "no data line is empty",
    why: "An empty data line is parsed as JSON too, and fails.",
    fix: 'To keep a connection alive send a comment such as ": keep-alive", not an empty data line.',
  },
  "framing.last-frame": {
    title: "the last frame ends with a blank line",
    why: "A frame without its blank line is dropped, and the last one is finish.",
    fix: "End every frame with two line breaks, the last one too.",
  },
  "framing.done": {
    title: "the end marker [DONE] is optional",
    why: "Clients do not need it.",
    fix: "Nothing to do.",
  },
  "schema.5-strict": {
    title: "clients of AI SDK 5 up to 5.0.216 accept every frame",
    why: "These builds (and 6.0.230, 7.0.31 and older) refuse keys they do not know, and the whole answer fails.",
    fix: SCHEMA_FIX,
  },
  "schema.5": {
    title: "clients of AI SDK 5 accept every frame",
    why: "A frame that the schema refuses ends the answer with a validation error.",
    fix: SCHEMA_FIX,
  },
  "schema.6": {
    title: "clients of AI SDK 6 accept every frame",
    why: "A frame that the schema refuses ends the answer with a validation error.",
    fix: SCHEMA_FIX,
  },
  "schema.7": {
    title: "clients of AI SDK 7 accept every frame",
    why: "A frame that the schema refuses ends the answer with a validation error.",
    fix: SCHEMA_FIX,
  },
  "order.start": {
    title: "start comes first, and once",
    why: "start gives the message its id; given late or anew, the client makes a second message of the same parts.",
    fix: "Send {type: start, messageId} before everything else, with an id that stays the same when the turn is resumed.",
  },
  "order.blocks": {
    title: "deltas and ends belong to a block that is open",
    why: "A delta or an end whose block was never started, or has ended, throws in every client.",
    fix: "Send text-start (or reasoning-start) with the same id first, and nothing for that id after its end.",
  },
  "order.open-blocks": {
    title: "blocks are closed before steps end and before finish",
    why: "A block left open is shown as streaming for ever, and SDK 5 and 6 forget open ids when a step ends.",
    fix: "Send text-end (or reasoning-end) before tools, finish-step and finish, and before the same id starts again.",
  },
  "order.tools": {
    title: "tool chunks speak of calls that were announced, once",
    why: "An output or an input delta for a call that the client does not know throws.",
    fix: "Send tool-input-start or tool-input-available with the same toolCallId before anything else about a call.",
  },
  "order.open-tools": {
    title: "no call of the server is left open at finish",
    why: "The tool stays on the screen as running; a preliminary output needs a final one after it.",
    fix: "Before finish send tool-output-available or tool-output-error for each call that the server executes.",
  },
  "order.steps": {
    title: "steps open and close in turn",
    why: "Clients cut a message into steps to find the calls that belong together; unpaired steps mix them.",
    fix: "Send start-step before a step's content and finish-step after it, or no steps at all.",
  },
  "end.finish": {
    title: "the stream says how it ended, with finish or error",
    why: "A stream that just stops looks like a short answer: the client is ready and shows no error.",
    fix: "Send {type: finish} at the end, or {type: error, errorText} where the answer failed.",
  },
  "end.last": {
    title: "nothing follows finish or error",
    why: "After error the client has closed the connection; after finish more parts change a message taken as done.",
    fix: "Send finish or error exactly once, as the last chunk.",
  },
  "end.closed": {
    title: "the response ends with the stream",
    why: "The client stays in streaming until the connection closes, whatever the last chunk was.",
    fix: "Close the response after the last frame.",
  },
  "refusal.bad-json": {
    title: "a body that is not JSON gets a 4xx with a reason",
    why: REFUSAL_WHY,
    fix: "Check the body before the stream begins; answer 400 with a sentence, as text or JSON.",
  },
  "refusal.no-messages": {
    title: "a request without messages gets a 4xx with a reason",
    why: REFUSAL_WHY,
    fix: "Check for messages before the stream begins; answer 400 with a sentence, as text or JSON.",
  },
  "refusal.empty-prompt": {
    title: "an empty prompt gets a 4xx with a reason",
    why: REFUSAL_WHY,
    fix: "Check the latest message before the stream begins; answer 400 with a sentence, as text or JSON.",
  },
  "error.chunk": {
    title: "a failure in the middle is told as an error chunk",
    why: "Only an error chunk puts the client in error; a stream that breaks off or finishes looks like an answer.",
    fix: "Catch what fails while streaming and send {type: error, errorText} with a text for people as the last chunk.",
  },
  "error.recovery": {
    title: "the next message after a failure is answered",
    why: "People try again at once; a chat that stays broken is lost to them.",
    fix: "Release what a failed turn holds, and accept the history of a message that ended in an error.",
  },
  "resume.replay": {
    title: "resuming in mid-turn replays the whole turn",
    why: "After a reload the client has nothing, so it needs every chunk from start, each of them once.",
    fix: "On GET URL/:chatId/stream send the running turn from its first chunk with the same messageId, then go on live.",
  },
  "resume.start-index": {
    title: "received plus resumed from that index equals the whole",
    why: "A client that reconnects by index shows what is missing as a hole and what comes twice as repeated text.",
    fix: "Count the chunks of the turn from 0, without transient ones, and on ?startIndex=N send from chunk N on.",
  },
  "resume.headers": {
    title: "a resumed stream has the headers of the first one",
    why: "It is a GET, so caches and proxies feel freer to keep it or to hold it back than with a POST.",
    fix: "Answer GET URL/:chatId/stream with the same headers as POST URL.",
  },
  "resume.idle": {
    title: "204 when there is nothing to resume",
    why: "useChat with resume asks on every page load; a 404 puts it in error before anybody has typed.",
    fix: "Answer GET URL/:chatId/stream with 204 when no turn is running.",
  },
  "keep-alive.comment": {
    title: "silence is broken by a comment",
    why: "Proxies close connections that are silent for long, and a server notices that a reader has left only by writing.",
    fix: 'Send ": keep-alive" and a blank line after some seconds without a frame.',
  },
  "stop.next": {
    title: "after a closed connection the next message is answered",
    why: "stop() and a reload just close the connection, and the next message may follow at once.",
    fix: "Treat a closed connection as an end of that reader, and do not let it hold the chat.",
  },
  "idempotency.twice": {
    title: "the same message sent twice at once is one turn",
    why: "A request repeated by a proxy or a double click runs, costs and answers twice, and the two answers differ.",
    fix: "Take the message's id as the id of the turn, and give a second request with it the stream of the first.",
  },
  "concurrency.separate": {
    title: "chats at the same time do not mix",
    why: "Text of one chat in another one is shown to the wrong person.",
    fix: "Keep the state of a turn in the request or under the chat's id, never in a variable that requests share.",
  },
} as const satisfies Record<string, Entry>;

export type CheckId = keyof typeof CATALOGUE;

export const CHECK_IDS = Object.keys(CATALOGUE).filter(isCheckId);

function isCheckId(text: string): text is CheckId {
  return Object.hasOwn(CATALOGUE, text);
}

type GroupOf<Id> = Id extends `${infer Group}.${string}` ? Group : never;

/** The part before the dot. */
export type GroupName = GroupOf<CheckId>;
