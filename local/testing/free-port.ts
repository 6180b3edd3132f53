import { reservePort } from '../ports.ts';

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const { port, release } = await reservePort({ name: 'PORT', explicit: 0 });
  await release();
  return port;
}
