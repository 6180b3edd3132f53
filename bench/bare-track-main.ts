import { once } from 'node:events';
import Router from '@koa/router';
import Koa from 'koa';
import { koaBody } from 'koa-body';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';

/**
 * A minimal service that tracks events with the same libraries: plain Koa, koa-body, zod, and one statement for all
 * waiting requests. Without limits, logs, metrics, headers, segments, workflows and figures. Its tables have the
 * product's indexes.
 */
const { PORT = '', DATABASE_URL, BARE_KEY = '', BARE_PROJECT = '' } = process.env;
const batchItems = 500;
const minBeside = 50;
const lanes = 2;

const plain = z.union([z.string(), z.number(), z.boolean()]);
const transient = z.object({ value: plain, persistent: z.literal(false) });
const bodySchema = z.object({
  email: z.email(),
  event: z.string().min(1).max(255),
  data: z.record(z.string(), z.union([plain, transient])).default({}),
});

interface Item {
  project_id: string;
  contact_id: string;
  event_id: string;
  email: string;
  name: string;
  set_data: Record<string, unknown>;
  data: Record<string, unknown>;
  at: Date;
}

const sql = `
with input as materialized (
  select * from json_to_recordset($1::json) as t(project_id uuid, contact_id uuid, event_id uuid, email text, name text,
    set_data jsonb, data jsonb, at timestamptz)
),
contact as (
  insert into bare_contacts as c (id, project_id, email, data, created_at, updated_at)
  select distinct on (email) contact_id, project_id, email, set_data, at, at from input order by email
  on conflict (project_id, email) do update set data = c.data || excluded.data, updated_at = excluded.updated_at
  returning id, email
),
event as (
  insert into bare_events (id, project_id, name, kind, contact_id, data, occurred_at)
  select event_id, project_id, name, 'tracked', c.id, i.data, at from input i join contact c using (email)
  returning id, project_id, name, contact_id, occurred_at
),
counted as (
  insert into bare_stats as s (project_id, name, contact_id, count, first_at, last_at, last_event_id)
  select project_id, name, contact_id, count(*), min(occurred_at), max(occurred_at), max(id::text)::uuid
  from event group by project_id, name, contact_id order by project_id, name, contact_id
  on conflict (project_id, name, contact_id) do update set count = s.count + excluded.count,
    last_at = excluded.last_at, last_event_id = excluded.last_event_id
)
select email, id from contact`;

const pool = new pg.Pool({ connectionString: DATABASE_URL, max: lanes });
const waiting: { item: Item; resolve: (contactId: string) => void; reject: (error: unknown) => void }[] = [];
let running = 0;

async function write(): Promise<void> {
  running += 1;
  const batch = waiting.splice(0, batchItems);
  try {
    const values = [JSON.stringify(batch.map(({ item }) => item))];
    const { rows } = await pool.query<{ email: string; id: string }>({ name: 'track', text: sql, values });
    const ids = new Map(rows.map(({ email, id }) => [email, id]));
    for (const { item, resolve } of batch) resolve(ids.get(item.email) ?? '');
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
  running -= 1;
  pump();
}

function pump(): void {
  while (running < lanes && waiting.length > (running === 0 ? 0 : minBeside)) void write();
}

const router = new Router();
router.post('/v1/track', koaBody({ jsonLimit: '1mb' }), async (ctx) => {
  if (ctx.get('Authorization') !== `Bearer ${BARE_KEY}`) ctx.throw(401);
  const { email, event, data } = bodySchema.parse(ctx.request.body);
  const stored = Object.entries(data).filter(([, value]) => typeof value !== 'object');
  const at = new Date();
  const item: Item = {
    project_id: BARE_PROJECT,
    contact_id: uuidv7(),
    event_id: uuidv7(),
    email: email.toLowerCase(),
    name: event,
    set_data: Object.fromEntries(stored),
    data: Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, typeof value === 'object' ? value.value : value]),
    ),
    at,
  };
  const contact = await new Promise<string>((resolve, reject) => {
    waiting.push({ item, resolve, reject });
    if (waiting.length === 1) setImmediate(pump);
  });
  ctx.body = { success: true, data: { contact, event: item.event_id, timestamp: at.toISOString() } };
});

const app = new Koa();
app.use(async (ctx, next) => {
  if (ctx.path === '/health') ctx.body = 'ok';
  else await next();
});
app.use(router.routes());
await once(app.listen(Number(PORT), '127.0.0.1'), 'listening');
