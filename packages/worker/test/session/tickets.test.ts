import { FIXED_TIMES } from "@agent-ops/shared/limits";
import { describe, expect, it } from "vitest";
import { Tickets } from "../../src/durable-objects/session/tickets.ts";

const ANN = { user: "ann", expiresAt: 5000 };
const BOB = { user: "bob", expiresAt: 5000 };
const HERE = "https://here.example";

function scene() {
  const tickets = new Tickets();
  const ticket = tickets.issue({ access: ANN, origin: HERE }, 0);
  return { tickets, ticket };
}

describe("Tickets", () => {
  it("ACL4: a ticket names its user once", () => {
    const { tickets, ticket } = scene();
    expect(tickets.redeem(ticket, HERE, 0)).toBe(ANN);
    expect(() => tickets.redeem(ticket, HERE, 0)).toThrow("used");
  });

  it("ACL4: it is good until its time is over, to the millisecond", () => {
    const { tickets, ticket } = scene();
    expect(tickets.redeem(ticket, HERE, FIXED_TIMES.ticketMs - 1)).toBe(ANN);
    const late = tickets.issue({ access: ANN, origin: HERE }, 0);
    expect(() => tickets.redeem(late, HERE, FIXED_TIMES.ticketMs)).toThrow("expired");
  });

  it("ACL4: those that nobody used are forgotten", () => {
    const { tickets } = scene();
    tickets.issue({ access: ANN, origin: HERE }, 1);
    expect(tickets.size).toBe(2);
    tickets.issue({ access: BOB, origin: HERE }, FIXED_TIMES.ticketMs);
    expect(tickets.size).toBe(2);
  });

  it.each([null, "https://there.example", "http://here.example", `${HERE}:8443`])(
    "ACL4: it is no good from another origin (%s)",
    (origin) => {
      const { tickets, ticket } = scene();
      expect(() => tickets.redeem(ticket, origin, 0)).toThrow("origin");
    },
  );

  it("ACL4: one without an origin is no good for a page", () => {
    const tickets = new Tickets();
    const ticket = tickets.issue({ access: ANN, origin: null }, 0);
    expect(() => tickets.redeem(ticket, HERE, 0)).toThrow("origin");
    expect(tickets.redeem(ticket, null, 0)).toBe(ANN);
  });

  it("ACL4: a ticket of another session is unknown, and so is none", () => {
    const { ticket } = scene();
    const other = new Tickets();
    for (const unknown of [ticket, null, ""]) expect(() => other.redeem(unknown, HERE, 0)).toThrow("unknown");
  });

  it("ACL4: each user has a ticket of their own", () => {
    const { tickets, ticket } = scene();
    const other = tickets.issue({ access: BOB, origin: HERE }, 0);
    expect(other).not.toBe(ticket);
    expect(tickets.redeem(other, HERE, 0)).toBe(BOB);
    expect(tickets.redeem(ticket, HERE, 0)).toBe(ANN);
  });
});
