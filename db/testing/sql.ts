import { z } from 'zod';
import type { Em } from '../orm.ts';
import { preparedQuery, query } from '../sql.ts';

export const sql = <Row>(em: Em, text: string, parameters: readonly unknown[] = []): Promise<Row[]> =>
  query(em, z.any(), text, parameters);

export const preparedSql = <Row>(
  em: Em,
  name: string,
  text: string,
  parameters: readonly unknown[],
): Promise<Row[]> => preparedQuery(em, name, z.any(), text, parameters);
