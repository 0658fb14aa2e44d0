/** Names that the makers of models use for keys. */
const KEY = /^[A-Z][A-Z0-9_]*_API_KEY$/;
/** What programs need to reach the network from where they are. */
const NETWORK = /^(https?_proxy|no_proxy|all_proxy|ssl_cert_file|ssl_cert_dir|node_extra_ca_certs)$/i;
/** Shorter values are no secrets, and would be found everywhere. */
const SECRET_CHARS = 8;

interface EnvironmentOptions {
  /** The runner's own environment. */
  env: NodeJS.ProcessEnv;
  /** From the keys file; these count before what the environment says. */
  keys?: Record<string, string>;
  /** Further names of the runner's environment that agents may have. */
  passed?: readonly string[];
}

/** What agents that talk to models get of the host's environment: keys and settings by name, and nothing else. */
export class AgentEnvironment {
  #env: Record<string, string>;
  #common: Record<string, string>;
  #secrets = new Set<string>();

  constructor({ env, keys = {}, passed = [] }: EnvironmentOptions) {
    const set = Object.entries(env).flatMap(([name, value]) => (value ? [[name, value] as const] : []));
    this.#env = Object.fromEntries(set);
    const isCommon = (name: string) => KEY.test(name) || NETWORK.test(name) || passed.includes(name);
    this.#common = { ...Object.fromEntries(set.filter(([name]) => isCommon(name))), ...keys };
    const secret = [...Object.values(keys), ...set.filter(([name]) => KEY.test(name)).map(([, value]) => value)];
    for (const value of secret) this.hide(value);
  }

  /** The variables for one agent: what all of them get, and those whose names begin with its own prefix. */
  variables(prefix?: string): Record<string, string> {
    const own = Object.entries(this.#env).filter(([name]) => prefix !== undefined && name.startsWith(prefix));
    return { ...this.#common, ...Object.fromEntries(own) };
  }

  /** One variable of the host itself. */
  get(name: string): string | undefined {
    return this.#common[name] ?? this.#env[name];
  }

  /** Values that no event and no log may show. */
  get secrets(): ReadonlySet<string> {
    return this.#secrets;
  }

  /** One more value that nobody may see. */
  hide(value: string): void {
    if (value.length >= SECRET_CHARS) this.#secrets.add(value);
  }
}
