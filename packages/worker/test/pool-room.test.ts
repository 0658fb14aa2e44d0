import type { HostCommand, PoolCommand } from "@agent-ops/shared/frames";
import { TIMES } from "@agent-ops/shared/limits";
import { describe, expect, it } from "vitest";
import { PoolRoom } from "../src/durable-objects/pool/pool-room.ts";
import { NodeStorage } from "./node-storage.ts";

const DEMO = { agent: "demo", shared: false };
const SHARED = { agent: "demo", shared: true };
const DAY_MS = 24 * 3_600_000;

/** A pool with hosts that hear what they are told, and a clock that stands still. */
function startPool({ trustsAgents = false, storage = new NodeStorage() } = {}) {
  let now = 1_000;
  let alarm = Number.POSITIVE_INFINITY;
  const connected = new Set<string>();
  const heard: [string, PoolCommand][] = [];
  const lost: [string, number][] = [];
  const enter = () =>
    new PoolRoom({
      storage,
      times: TIMES,
      trustsAgents,
      now: () => now,
      setAlarm: (at) => {
        alarm = at;
      },
      isConnected: (host) => connected.has(host),
      tell: (host, commands) => {
        if (connected.has(host)) heard.push(...commands.map((command): [string, PoolCommand] => [host, command]));
      },
      cut: (host) => connected.delete(host),
      runnerLost: (sessionId, epoch) => lost.push([sessionId, epoch]),
    });
  let room = enter();
  return {
    get room() {
      return room;
    },
    lost,
    connected,
    join(host: string, hello: Partial<Extract<HostCommand, { type: "hello" }>> = {}) {
      connected.add(host);
      room.command(host, { type: "hello", agents: ["demo"], sessions: [], isolation: "user", ...hello });
    },
    leave(host: string) {
      connected.delete(host);
      room.left(host);
    },
    /** A host closes or is killed together with the pool's own process. */
    restart(downMs = 0) {
      now += downMs;
      connected.clear();
      storage = storage.reopen();
      room = enter();
    },
    advance(ms: number) {
      for (const end = now + ms; now < end; ) {
        now = Math.min(end, Math.max(now, alarm));
        if (now < alarm) continue;
        alarm = Number.POSITIVE_INFINITY;
        room.onAlarm();
      }
    },
    /** What a host was told since it was asked last, pongs and welcomes apart. */
    told(host: string): string[] {
      const mine = heard.filter(([to, { type }]) => to === host && type !== "pong" && type !== "welcome");
      for (const entry of mine) heard.splice(heard.indexOf(entry), 1);
      return mine.map(([, command]) => {
        const { type, sessionId, epoch = "" }: { type: string; sessionId?: string; epoch?: unknown } = command;
        return `${type} ${sessionId} ${epoch}`.trim();
      });
    },
  };
}

describe("POOL1: a session goes to the host with the fewest", () => {
  it("POOL1: spreads sessions, and fills up what was freed", () => {
    const pool = startPool();
    pool.join("a");
    pool.join("b");
    for (const id of ["s1", "s2", "s3", "s4"]) pool.room.open(id, 1, DEMO);
    expect([pool.told("a").length, pool.told("b").length]).toEqual([2, 2]);
    const [freed] = ["s1", "s2", "s3", "s4"].filter((id) => pool.room.holder(id) === "b");
    pool.room.command("b", { type: "closed", sessionId: freed ?? "", epoch: 1 });
    pool.room.open("s5", 1, DEMO);
    expect(pool.told("b")).toEqual(["open s5 1"]);
  });

  it("POOL1: prefers a host that has the agent; where none has it, any will say so", () => {
    const pool = startPool();
    pool.join("a");
    pool.join("b", { agents: ["opencode"] });
    for (const id of ["s1", "s2", "s3"]) pool.room.open(id, 1, { agent: "opencode", shared: false });
    pool.room.open("s4", 1, { agent: "nobody-has-it", shared: false });
    expect(pool.told("b")).toEqual(["open s1 1", "open s2 1", "open s3 1"]);
    expect(pool.told("a")).toEqual(["open s4 1"]);
  });

  it("POOL1: a full host takes no more; who waits goes to the first that can", () => {
    const pool = startPool();
    pool.room.open("s0", 1, DEMO);
    pool.join("a", { capacity: 1 });
    pool.room.open("s1", 1, DEMO);
    expect(pool.told("a")).toEqual(["open s0 1"]);
    pool.room.command("a", { type: "closed", sessionId: "s0", epoch: 1 });
    expect(pool.told("a")).toEqual(["open s1 1"]);
  });

  it("POOL1: a session goes back to the host that has its workspace, though another is idle", () => {
    const pool = startPool();
    pool.join("a");
    pool.room.open("s1", 1, DEMO);
    pool.room.open("s2", 1, DEMO);
    pool.join("b");
    pool.room.command("a", { type: "closed", sessionId: "s1", epoch: 1 });
    pool.told("a");
    pool.room.open("s1", 2, DEMO);
    expect([pool.told("a"), pool.told("b")]).toEqual([["open s1 2"], []]);
  });

  it("POOL1: a request that comes late does not undo a newer one", () => {
    const pool = startPool();
    pool.join("a");
    pool.room.open("s1", 3, DEMO);
    pool.room.open("s1", 2, DEMO);
    expect(pool.told("a")).toEqual(["open s1 3"]);
  });
});

describe("POOL2: giving back", () => {
  it("POOL2: only the lease it names, or an older one, and only by its holder", () => {
    const pool = startPool();
    pool.join("a");
    pool.join("b");
    pool.room.open("s1", 2, DEMO);
    pool.room.command("a", { type: "closed", sessionId: "s1", epoch: 1 });
    pool.room.command("b", { type: "closed", sessionId: "s1", epoch: 2 });
    expect(pool.room.holder("s1")).toBe("a");
    pool.room.command("a", { type: "closed", sessionId: "s1", epoch: 2 });
    expect(pool.room.holder("s1")).toBe(undefined);
  });
});

describe("POOL3: hosts that go away", () => {
  it("POOL3: one that is back in time is given its sessions again, and is waited for", () => {
    const pool = startPool();
    pool.join("a");
    pool.join("b");
    pool.room.open("s1", 1, DEMO);
    pool.told("a");
    pool.leave("a");
    pool.room.open("s1", 2, DEMO);
    pool.advance(TIMES.hostLostMs - 1);
    pool.join("a");
    pool.advance(60);
    expect([pool.told("a"), pool.told("b"), pool.lost]).toEqual([["open s1 2"], [], []]);
  });

  it("POOL3: one that is not has its sessions told, and the next host gets them", () => {
    const pool = startPool();
    pool.join("a");
    pool.room.open("s1", 1, DEMO);
    pool.room.open("s2", 4, DEMO);
    pool.join("b");
    pool.leave("a");
    pool.advance(TIMES.hostLostMs);
    expect(pool.lost).toEqual([
      ["s1", 1],
      ["s2", 4],
    ]);
    pool.room.open("s1", 2, DEMO);
    expect(pool.told("b")).toEqual(["open s1 2"]);
  });

  it("POOL3: one that comes back too late is told to lay down what it still has", () => {
    const pool = startPool();
    pool.join("a");
    pool.room.open("s1", 1, DEMO);
    pool.told("a");
    pool.leave("a");
    pool.advance(TIMES.hostLostMs);
    pool.join("a", { sessions: ["s1", "s9"] });
    expect(pool.told("a")).toEqual(["close s1", "close s9"]);
  });

  it("POOL3: a connected host that says nothing is given up; pings keep it", () => {
    const pool = startPool();
    pool.join("a");
    pool.join("b");
    pool.room.open("s1", 1, DEMO);
    for (let beats = 0; beats < 6; beats += 1) {
      pool.advance(10_000);
      pool.room.command("b", { type: "ping" });
    }
    expect([...pool.connected]).toEqual(["b"]);
    expect(pool.lost).toEqual([["s1", 1]]);
  });

  it("POOL3: hosts that the pool's own death hid have to come back in time too", () => {
    const pool = startPool();
    pool.join("a");
    pool.room.open("s1", 1, DEMO);
    pool.restart();
    pool.advance(TIMES.hostLostMs);
    expect(pool.lost).toEqual([["s1", 1]]);
  });

  it("BAD5: a host has time to come back to a pool that was down for long", () => {
    const pool = startPool();
    pool.join("a");
    pool.room.open("s1", 1, DEMO);
    pool.restart(60_000);
    pool.restart(60_000);
    pool.advance(TIMES.hostLostMs / 2 - 1);
    pool.join("a");
    pool.advance(TIMES.hostLostMs);
    expect(pool.lost).toEqual([]);
  });

  it("POOL3: a host that the pool gave up and that pings has to say hello again", () => {
    const pool = startPool();
    pool.connected.add("a");
    pool.room.command("a", { type: "ping" });
    expect([...pool.connected]).toEqual([]);
  });

  it("POOL6: a draining host gets nothing new, its own sessions included, and is not waited for", () => {
    const pool = startPool();
    pool.join("a");
    pool.room.open("s1", 1, DEMO);
    pool.join("b");
    pool.room.command("a", { type: "draining" });
    pool.told("a");
    pool.room.open("s2", 1, DEMO);
    pool.room.open("s1", 2, DEMO);
    expect([pool.told("a"), pool.told("b")]).toEqual([[], ["open s2 1", "open s1 2"]]);
    pool.room.command("a", { type: "closed", sessionId: "s1", epoch: 1 });
    expect(pool.room.holder("s1")).toBe("b");
  });
});

describe("deleted sessions", () => {
  it("POOL7: the host that has the workspace is told until it has said that it is gone", () => {
    const pool = startPool();
    pool.join("a");
    pool.room.open("s1", 1, DEMO);
    pool.told("a");
    pool.leave("a");
    pool.room.forget("s1");
    pool.join("a", { sessions: ["s1"] });
    expect(pool.told("a")).toEqual(["forget s1"]);
    pool.room.command("a", { type: "closed", sessionId: "s1", epoch: 1 });
    pool.join("a");
    expect(pool.told("a")).toEqual(["forget s1"]);
    pool.room.command("a", { type: "forgotten", sessionId: "s1" });
    pool.join("a");
    expect(pool.told("a")).toEqual([]);
  });

  it("POOL7: one that is made anew waits until its host has nothing left of the old one", () => {
    const pool = startPool();
    pool.join("a");
    pool.room.open("s1", 1, DEMO);
    pool.room.forget("s1");
    pool.told("a");
    pool.room.open("s1", 2, DEMO);
    pool.room.command("a", { type: "closed", sessionId: "s1", epoch: 1 });
    expect([pool.told("a"), pool.room.holder("s1")]).toEqual([[], undefined]);
    pool.room.command("a", { type: "forgotten", sessionId: "s1" });
    expect([pool.told("a"), pool.room.holder("s1")]).toEqual([["open s1 2"], "a"]);
  });

  it("POOL7: one that is made anew goes to another host at once, and the old one still forgets", () => {
    const pool = startPool();
    pool.join("a");
    pool.room.open("s1", 1, DEMO);
    pool.leave("a");
    pool.room.forget("s1");
    pool.join("b");
    pool.room.open("s1", 2, DEMO);
    expect([pool.told("b"), pool.room.holder("s1")]).toEqual([["open s1 2"], "b"]);
    pool.told("a");
    pool.join("a", { sessions: ["s1"] });
    expect(pool.told("a")).toEqual(["forget s1"]);
    pool.room.command("a", { type: "forgotten", sessionId: "s1" });
    expect(pool.room.holder("s1")).toBe("b");
  });
});

describe("POOL8: the agents that there are", () => {
  it("are those of all hosts, each once", () => {
    const pool = startPool();
    expect(pool.room.agents()).toEqual([]);
    pool.join("a", { agents: ["opencode", "demo"] });
    pool.join("b");
    expect(pool.room.agents()).toEqual(["demo", "opencode"]);
  });
});

describe("SEC2: shared sessions and hosts that do not keep agents apart", () => {
  it("SEC2: sharing needs a host that does, and the session's own host to be one", () => {
    const pool = startPool();
    expect(pool.room.isolation("s1")).toBe("none");
    pool.join("bare", { isolation: "none" });
    expect(pool.room.isolation("s1")).toBe("none");
    pool.room.open("s1", 1, DEMO);
    pool.join("apart");
    expect([pool.room.isolation("s1"), pool.room.isolation("s2")]).toEqual(["none", "user"]);
    pool.room.open("s2", 1, DEMO);
    expect([pool.room.holder("s2"), pool.room.isolation("s2")]).toEqual(["apart", "user"]);
  });

  it("SEC2: a host without isolation that joins later gets none of them, not even one that waits", () => {
    const pool = startPool();
    pool.room.open("s1", 1, SHARED);
    pool.join("bare", { isolation: "none" });
    expect([pool.told("bare"), pool.room.holder("s1")]).toEqual([[], undefined]);
    pool.join("apart");
    pool.room.open("s2", 1, SHARED);
    expect([pool.told("bare"), pool.told("apart")]).toEqual([[], ["open s1 1", "open s2 1"]]);
  });

  it("SEC2: one that was shared leaves its host at its next lease, or when the host keeps agents apart no more", () => {
    const pool = startPool();
    pool.join("bare", { isolation: "none" });
    pool.room.open("s1", 1, DEMO);
    pool.join("apart");
    pool.room.open("s1", 2, SHARED);
    expect([pool.room.holder("s1"), pool.told("apart")]).toEqual(["apart", ["open s1 2"]]);
    pool.leave("apart");
    pool.join("apart", { isolation: "none", sessions: ["s1"] });
    expect([pool.told("apart"), pool.lost]).toEqual([["close s1"], [["s1", 2]]]);
  });

  it("SEC2: they go anywhere where the operator trusts agents", () => {
    const pool = startPool({ trustsAgents: true });
    pool.join("bare", { isolation: "none" });
    pool.room.open("s1", 1, SHARED);
    expect(pool.told("bare")).toEqual(["open s1 1"]);
  });
});

describe("the places of a session", () => {
  /** s1 was on a, which is given up. */
  function startWithout(host: "a") {
    const pool = startPool();
    pool.join(host);
    pool.room.open("s1", 1, DEMO);
    pool.leave(host);
    pool.advance(TIMES.hostLostMs);
    pool.told(host);
    return pool;
  }

  it("POOL1: a session that waited goes back to the host that had it, though another is idle", () => {
    const pool = startWithout("a");
    pool.room.open("s1", 2, DEMO);
    expect(pool.room.holder("s1")).toBe(undefined);
    pool.join("a");
    expect(pool.told("a")).toEqual(["open s1 2"]);
    pool.join("b");
    pool.room.open("s1", 3, DEMO);
    expect([pool.told("a"), pool.told("b")]).toEqual([["open s1 3"], []]);
  });

  it("POOL1: one that went on elsewhere stays there; where that host is away, it goes to one that had it", () => {
    const pool = startWithout("a");
    pool.join("b");
    pool.room.open("s1", 2, DEMO);
    pool.join("a");
    pool.room.open("s1", 3, DEMO);
    expect([pool.told("a"), pool.told("b")]).toEqual([[], ["open s1 2", "open s1 3"]]);
    pool.join("c");
    pool.room.open("s2", 1, DEMO);
    pool.told("a");
    pool.leave("b");
    pool.advance(TIMES.hostLostMs);
    pool.room.command("a", { type: "ping" });
    pool.room.open("s1", 4, DEMO);
    expect([pool.told("a"), pool.told("c")]).toEqual([["open s1 4"], []]);
  });

  it("POOL7: every host that had it is told to forget it, also those that are away", () => {
    const pool = startWithout("a");
    pool.join("b");
    pool.room.open("s1", 2, DEMO);
    pool.told("b");
    pool.room.forget("s1");
    expect(pool.told("b")).toEqual(["forget s1"]);
    pool.restart();
    pool.join("a");
    expect(pool.told("a")).toEqual(["forget s1"]);
  });

  it("POOL7: a host that does not come back within 30 days is not waited for", () => {
    const pool = startWithout("a");
    pool.room.forget("s1");
    pool.advance(29 * DAY_MS);
    pool.room.forget("s2");
    pool.join("a");
    expect(pool.told("a")).toEqual(["forget s1"]);
    pool.leave("a");
    pool.advance(2 * DAY_MS);
    pool.room.forget("s3");
    pool.join("a");
    expect(pool.told("a")).toEqual([]);
  });
});

describe("a pool that an earlier version made", () => {
  it("POOL1, POOL7: knows where its sessions are and what is to be forgotten", () => {
    const storage = new NodeStorage();
    const tables = [
      "CREATE TABLE leases (session_id TEXT PRIMARY KEY, epoch INTEGER NOT NULL, agent TEXT NOT NULL, host TEXT, state TEXT NOT NULL)",
      "CREATE TABLE forgets (host TEXT NOT NULL, session_id TEXT NOT NULL, PRIMARY KEY (host, session_id))",
      "INSERT INTO leases VALUES ('s1', 4, 'demo', 'a', 'rest'), ('s2', 1, 'demo', NULL, 'open')",
      "INSERT INTO forgets VALUES ('a', 's0')",
    ];
    for (const statement of tables) storage.all(statement);
    const pool = startPool({ storage });
    pool.join("b");
    pool.join("a");
    pool.room.open("s1", 5, DEMO);
    expect([pool.told("a"), pool.told("b")]).toEqual([["forget s0", "open s1 5"], ["open s2 1"]]);
  });
});
