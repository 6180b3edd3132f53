import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { toPlainTextTemplate } from '../core/rendering/plain-text-template.ts';
import { sql } from '../db/testing/sql.ts';
import { cpuSecondsOf } from './bench-process.ts';
import type { BenchStack } from './bench-stack.ts';
import { campaignContent } from './campaign-content.ts';

/** The task of the skeleton's process. */
export interface BareCampaign {
  databaseUrl: string;
  sesUrl: string;
  projectId: string;
  domain: string;
  subject: string;
  body: string;
  text: string;
}

const resultSchema = z.object({ emails: z.int(), seconds: z.number(), cpuMicros: z.number() });
export type BareResult = z.output<typeof resultSchema>;

export interface BareRun {
  ratePerSecond: number;
  /** Microseconds per email. */
  cpu: { skeleton: number; Postgres: number };
}

const entry = fileURLToPath(new URL('./bare-campaign-main.ts', import.meta.url));

/**
 * Sends a campaign to all contacts of the project with a skeleton of what the product does: freeze, claim, render, hand
 * over and record as five bare statements in four lanes of one process, into tables with the product's indexes.
 */
export async function runBareCampaign(
  { orm, databaseUrl, postgresPid, project }: BenchStack,
  sesUrl: string,
): Promise<BareRun> {
  const em = orm.em.fork();
  for (const table of ['emails', 'events']) {
    await sql(em, `drop table if exists bare_${table}`);
    await sql(em, `create table bare_${table} (like ${table} including all)`);
  }
  await sql(em, 'alter table bare_emails set (fillfactor = 40)');
  const task: BareCampaign = {
    databaseUrl,
    sesUrl,
    projectId: project.id,
    domain: project.domain,
    ...campaignContent,
    text: toPlainTextTemplate(campaignContent.body)?.source ?? '',
  };
  const before = cpuSecondsOf(postgresPid);
  const { stdout } = await promisify(execFile)(process.execPath, [entry], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, BARE_CAMPAIGN: JSON.stringify(task) },
  });
  const used = cpuSecondsOf(postgresPid) - before;
  const { emails, seconds, cpuMicros } = resultSchema.parse(JSON.parse(stdout));
  return {
    ratePerSecond: emails / seconds,
    cpu: { skeleton: cpuMicros / emails, Postgres: (used / emails) * 1e6 },
  };
}
