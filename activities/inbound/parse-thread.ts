import { parentPort } from 'node:worker_threads';
import { z } from 'zod';
import { parseEmail } from '../../core/inbound/parse-email.ts';

// The thread of `createEmailParser`: takes raw emails and answers them taken apart, or undefined.

const raw = z.instanceof(Uint8Array);

parentPort?.on('message', async (message: unknown) => {
  const parsed = await parseEmail(raw.parse(message)).catch(() => undefined);
  parentPort?.postMessage(parsed);
});
