declare namespace Cloudflare {
  interface Env extends WorkerEnv {}
  interface GlobalProps {
    mainModule: typeof import("../../src/index.ts");
  }
}

type WorkerEnv = import("../../src/env.ts").Env;
