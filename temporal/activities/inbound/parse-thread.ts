import { parentPort } from 'node:worker_threads';
import { z } from 'zod';
import { parseEmail } from '../../../core/inbound/parse-email.ts';

// The worker thread of `EmailParser`: receives raw emails and posts back each parsed email, or undefined.

const raw = z.instanceof(Uint8Array);

parentPort?.on('message', async (message: unknown) => {
  const parsed = await parseEmail(raw.parse(message)).catch(() => undefined);
  parentPort?.postMessage(parsed);
});
