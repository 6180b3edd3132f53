import type { Stage } from './stage.ts';

/** Bypasses the connection that faults cut. */
export async function readClickHouse<Row>({ clickhouse }: Stage, query: string): Promise<Row[]> {
  const answer = await fetch(`${clickhouse.url}/`, { method: 'POST', body: `${query} FORMAT JSONEachRow` });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`ClickHouse: ${text}`);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
