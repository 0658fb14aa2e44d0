import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

const workerd = cloudflareTest({
  main: "./packages/worker/src/index.ts",
  miniflare: {
    compatibilityDate: "2026-09-01",
    compatibilityFlags: ["enable_request_signal"],
    cf: false,
    durableObjects: {
      SESSIONS: { className: "SessionAgent", useSQLite: true },
      USERS: { className: "UserAgent", useSQLite: true },
      POOL: { className: "PoolAgent", useSQLite: true },
    },
    bindings: {
      AUTH_SECRET: "a-secret-for-tests-that-is-long-enough",
      TRUST_AGENTS: "true",
      ID_SECRET: "another-secret-for-tests-long-enough",
    },
    serviceBindings: { ASSETS: () => new Response("<!doctype html>") },
  },
});

/** These take times and sizes, so nothing else runs beside them. */
const MEASURES = [
  "bench/test/**/*.test.ts",
  ...["big-session", "browser-budget", "browser-own", "slow-reader"].map((name) => `conformance/test/${name}.test.ts`),
];

/** Tests of the running product. */
const product = {
  globalSetup: "conformance/src/global-setup.ts",
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 10_000 } },
  maxConcurrency: 20,
  // Real processes, sockets and clocks on a machine that others use too. What needed a second try is named at the end.
  retry: 1,
};

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["packages/*/test/**/*.test.{ts,tsx}", "conformance/src/**/*.test.ts"],
          exclude: ["**/workerd/**"],
          environment: "node",
        },
      },
      { plugins: [workerd], test: { name: "workerd", include: ["packages/worker/test/workerd/**/*.test.ts"] } },
      {
        test: {
          ...product,
          name: "product",
          include: ["conformance/test/**/*.test.ts"],
          exclude: MEASURES,
          // They wait more than they work.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...product,
          name: "measures",
          include: MEASURES,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
