import { flushCompileCache } from 'node:module';
import { beforeAll } from 'vitest';

// Workers are killed at the end of a run, but Node writes its compile cache only on exit.
beforeAll(() => flushCompileCache());
