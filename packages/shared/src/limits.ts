/** Every limit of the system, stated once. PROTOCOL.md names them; tests stand at their edges. */
export const LIMITS = {
  /** A WebSocket frame, in either direction. */
  frameBytes: 1024 * 1024,
  /** Commands in one frame of a person's V2 socket. */
  frameCommands: 100,
  /** A row of the log; the hosted platform refuses rows of 2 MB. */
  rowBytes: 512 * 1024,
  /** The JSON body of a request to the chat routes. */
  chatBodyBytes: 8 * 1024 * 1024,
  /** Text of one prompt, in UTF-16 code units. */
  promptChars: 256 * 1024,
  /** The data URLs of one prompt's files together. */
  attachmentBytes: 640 * 1024,
  /** All of a prompt as JSON: what text and files take, and room for names. With it a row of the log stays under 1 MB. */
  promptBytes: (256 + 640 + 64) * 1024,
  /** The names of a prompt's channel and files, and the media types of these, in UTF-16 code units. */
  channelChars: 128,
  filenameChars: 255,
  mediaTypeChars: 127,
  /** An answer to a question, as JSON. */
  answerBytes: 64 * 1024,
  /** Messages in the body of a chat request. */
  chatMessages: 10_000,
  /** Title of a session, in UTF-16 code units. */
  titleChars: 200,
  /** Entries that the audit log of a session keeps, and those of one page of it. */
  auditEntries: 10_000,
  auditPage: 200,
  /** API tokens that one person has. */
  apiTokens: 100,
  /** What a session's folder is made from, and the name of a model, in UTF-16 code units. */
  workspaceChars: 2_048,
  modelChars: 200,
  /** What a session or a prompt adds to the agent's instructions, in UTF-16 code units. */
  systemChars: 16 * 1024,
  /** MCP servers that a session or a prompt names, and the name or address of one. */
  mcpServers: 16,
  mcpServerChars: 256,
  /** A key that comes with a prompt. */
  keyChars: 512,
  /** Slash commands that an agent tells, and the name and the words of one, in UTF-16 code units. */
  commands: 500,
  commandNameChars: 128,
  commandTextChars: 500,
  /** The name of a person, in UTF-16 code units: an actor is called by it, and every socket carries it. */
  nameChars: 256,
  /** People who have a role in one session. */
  members: 100,
  /** Child sessions that a session lists. */
  children: 200,
  /** Messages that `init` brings; older ones are read in pages. */
  initMessages: 100,
  /** Stored text of the messages that `init` brings, but for the newest, which always comes. */
  initChars: 512 * 1024,
  /** WebSockets of people to one session. */
  sockets: 1000,
  /** What one person may do in a session, a second; a burst may be twice as much. */
  actsPerSecond: 50,
  /** What a visitor of a widget may do in a session, a minute, and at once. */
  widgetActsPerMinute: 10,
  /** WebSockets of one visitor of a widget. */
  widgetSockets: 5,
  /** What a visitor may read, for each thing that they may do. */
  widgetReadsPerAct: 10,
  /** Streams of AI SDK readers that are open or waited for: of one session, and of one visitor. */
  streams: 10_000,
  widgetStreams: 10,
  /** The name that a client has for its chat. */
  chatIdChars: 128,
  /** The longest that a resume waits for a turn to begin. */
  waitSeconds: 25,
  /** Requests that go on at once on one chat WebSocket. */
  chatSocketRequests: 32,
  /** Events that the log keeps for readers who come back; messages are kept for ever. */
  logEvents: 100_000,
  /** Prompts that wait behind the active turn. */
  queueLength: 50,
  /** What a WebSocket reader may leave unacknowledged before the session stops sending to it. */
  unacknowledgedBytes: 1024 * 1024,
  /** What an SSE reader may leave unread of live bytes before its stream is ended. */
  unreadBytes: 1024 * 1024,
  /** What all SSE readers of a session may leave unread together. */
  sessionUnreadBytes: 32 * 1024 * 1024,
  /** What a chat WebSocket, which cannot acknowledge, is sent before it is closed and has to resume. */
  chatSocketBytes: 16 * 1024 * 1024,
} as const;

/** The times that an installation may set in `TIMES`. */
export const TIMES = {
  /** Events wait this long before they are stored. */
  storeAfterMs: 250,
  /** A session without a turn for this long lets its runner go. */
  hibernateMs: 600_000,
  /** An asker who left may come back within this time before the turn is aborted. */
  graceMs: 3_000,
  /** What a page lacks of a turn, or missed between two requests, is told to a resume that comes this soon after. */
  lateResumeMs: 10_000,
  /** A turn whose agent gives no sign of life for this long ends with an error. */
  idleMs: 120_000,
  /** A runner that vanishes during a turn must be back within this time. */
  runnerLostMs: 30_000,
  /** A turn that cannot be given to any runner ends with an error after this time. */
  noRunnerMs: 15_000,
  /** A runner that was told to abort must say how the turn ended within this time. */
  abortMs: 5_000,
  /** A runner host that vanishes must be back within this time before its sessions are given to others. */
  hostLostMs: 10_000,
  /** A runner host that says nothing for this long has vanished. */
  hostSilentMs: 25_000,
  /** After a restart of the server those who wait for it have at least this long to come back. */
  returnMs: 5_000,
  /** A child session that has not said that it knows what its parent told it is told again after this time. */
  tellAgainMs: 5_000,
  /** Who comes and goes is told to the lists of sessions this long after the first of it. */
  presenceMs: 2_000,
} as const;

/** Those that both sides, or all sessions of a process, have to agree on. */
export const FIXED_TIMES = {
  /** The sessions of a process store this far apart, so where there are more than 50 they wait longer. */
  storeApartMs: 5,
  /** They wait at most this long. */
  storeAtLastMs: 1_000,
  /** A write to readers on the leading edge, then what gathers in this time. */
  gatherMs: 5,
  /** The same, while the sessions of a process make more than 10,000 writes a second together. */
  busyGatherMs: 33,
  /** A runner sends on the leading edge, then what gathers in this time. */
  runnerGatherMs: 40,
  /** What happens in a session is told to the lists of sessions this long after the first of it. */
  listsMs: 100,
  /** Lists that were not reached, or missed something by a crash, are told this long after, and ever later while that fails. */
  listsAgainMs: 2_000,
  /** A comment line goes out after this much silence during a turn. */
  keepAliveMs: 3_000,
  /** Runners say they are alive this often. */
  heartbeatMs: 10_000,
  /** A WebSocket ticket is good for this long, once. */
  ticketMs: 30_000,
} as const;

/** Events that wait to be stored: this many are stored at once, whatever the time. */
export const STORE_AFTER_EVENTS = 256;
