import { describe, expect, it } from 'vitest';
import { Connections } from './connections.ts';

const here = new AbortController().signal;

describe('connections', () => {
  it('each run one statement at a time, failing or not, and waiting ones in order', async () => {
    const connections = new Connections(['a', 'b']);
    const running: string[] = [];
    const seen: number[] = [];
    const work = (n: number) => async (connection: string) => {
      expect(running).not.toContain(connection);
      running.push(connection);
      seen.push(n);
      await new Promise((resolve) => setImmediate(resolve));
      running.splice(running.indexOf(connection), 1);
      if (n === 1) throw new Error('one failed');
      return n;
    };
    const asked = [0, 1, 2, 3, 4];
    const results = await Promise.allSettled(asked.map((n) => connections.use(here, work(n))));
    expect(results.map(({ status }) => status === 'fulfilled')).toEqual([true, false, true, true, true]);
    expect(seen).toEqual(asked);
  });

  it('refuse more than 200 waiting statements, and work again when those are done', async () => {
    const connections = new Connections(['only']);
    const accepted = Array.from({ length: 201 }, () => connections.use(here, async () => 'done'));
    await expect(connections.use(here, async () => 'done')).rejects.toThrow('Too many statements');
    await Promise.all(accepted);
    expect(await connections.use(here, async () => 'again')).toBe('again');
  });

  it('do not run statements that nobody waits for anymore', async () => {
    const connections = new Connections(['only']);
    const first = Promise.withResolvers<string>();
    const running = connections.use(here, () => first.promise);
    const client = new AbortController();
    let ran = false;
    const abandoned = connections.use(client.signal, async () => {
      ran = true;
    });
    const next = connections.use(here, async () => 'next');
    client.abort();
    await expect(abandoned).rejects.toThrow('its client is gone');
    first.resolve('first');
    expect(await Promise.all([running, next])).toEqual(['first', 'next']);
    expect(ran).toBe(false);
    await expect(connections.use(client.signal, async () => 'alone')).resolves.toBe('alone');
  });

  it('close when running statements have ended, and refuse waiting and new ones', async () => {
    const connections = new Connections(['only']);
    const statement = Promise.withResolvers<string>();
    const running = connections.use(here, () => statement.promise);
    const waiting = connections.use(here, async () => 'never');
    let isClosed = false;
    const closed = connections.close().then(() => {
      isClosed = true;
    });
    await expect(waiting).rejects.toMatchObject({ status: 503 });
    await expect(connections.use(here, async () => 'late')).rejects.toMatchObject({ status: 503 });
    expect(isClosed).toBe(false);
    statement.resolve('done');
    expect(await running).toBe('done');
    await closed;
  });
});
