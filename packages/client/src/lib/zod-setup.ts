import { z } from "zod";

/** The page's content security policy forbids generated code, and zod's probe for it would be reported as a violation. */
z.config({ jitless: true });
