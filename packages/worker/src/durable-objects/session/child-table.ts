import { type ChildInfo, childInfo } from "@agent-ops/shared/sessions";
import { z } from "zod";
import type { RoomStorage } from "./storage.ts";

const list = z.array(childInfo);

/** The child sessions that a session knows of, oldest first. They are few, and one row holds them all. */
export class ChildTable {
  #storage: RoomStorage;

  constructor(storage: RoomStorage) {
    this.#storage = storage;
  }

  all(): ChildInfo[] {
    const found = this.#storage.all("SELECT value FROM meta WHERE key = 'children'")[0];
    return found ? list.parse(JSON.parse(String(found.value))) : [];
  }

  get(id: string): ChildInfo | undefined {
    return this.all().find(({ childSessionId }) => childSessionId === id);
  }

  put(child: ChildInfo): void {
    const children = this.all();
    const at = children.findIndex(({ childSessionId }) => childSessionId === child.childSessionId);
    this.#save(at < 0 ? [...children, child] : children.with(at, child));
  }

  remove(id: string): void {
    this.#save(this.all().filter(({ childSessionId }) => childSessionId !== id));
  }

  #save(children: ChildInfo[]): void {
    this.#storage.all("INSERT OR REPLACE INTO meta (key, value) VALUES ('children', ?)", JSON.stringify(children));
  }
}
