import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { DraftGraph } from '../../core/workflows/graph.ts';
import { findGraphFaults } from '../../core/workflows/graph-faults.ts';
import { allProjects } from '../../db/entities/project-em.ts';
import { Workflow } from '../../db/entities/workflow.ts';
import type { Orm } from '../../db/orm.ts';
import { trackEvents } from '../../db/statements/events/track-events.ts';
import { cancelExecution } from '../../db/statements/workflows/cancel-executions.ts';
import { endExecution } from '../../db/statements/workflows/end-execution.ts';
import { lockExecution } from '../../db/statements/workflows/lock-execution.ts';
import { startExecution } from '../../db/statements/workflows/start-execution.ts';
import { sql } from '../../db/testing/sql.ts';
import { RenderTurns } from '../../temporal/activities/sending/render-turns.ts';
import { callWebhook, type WebhookCaller } from '../../temporal/activities/workflows/call-webhook.ts';
import { createGraphCache } from '../../temporal/activities/workflows/graph-cache.ts';
import { createCallLimit } from '../../temporal/activities/workflows/limit-calls.ts';
import { runStep } from '../../temporal/activities/workflows/run-step.ts';
import { trackInput } from '../setup/inputs.ts';
import { insertDomain, insertProject } from '../setup/projects.ts';
import { storeNextVersion, storeWorkflow, toggleWorkflow } from '../setup/stored-workflows.ts';
import type { Action } from './actions.ts';
import { toDraftGraph } from './draft-graph.ts';
import type { Settings } from './model-state.ts';

const graphs = createGraphCache();
const tries = 5;

/** An execution as its Temporal workflow run sees it. */
interface Driven {
  id: string;
  visit: number;
  isBlocked: boolean;
  isOver: boolean;
}

/** Performs the model's actions with the product's code on its database; this class replaces Temporal. */
export class World {
  readonly projectId = randomUUID();
  readonly otherProjectId = randomUUID();
  readonly workflowId = randomUUID();
  readonly templateIds = [randomUUID(), randomUUID()];
  calls: { query: string; body: unknown }[] = [];
  readonly #orm: Orm;
  readonly #settings: Settings;
  readonly #graphs: DraftGraph[];
  readonly #driven = new Map<string, Driven>();
  readonly #contactIds: string[] = [];
  #live = 0;
  #tries = 0;

  constructor(orm: Orm, settings: Settings) {
    this.#orm = orm;
    this.#settings = settings;
    const particulars = {
      eventName: settings.eventName,
      templateIds: this.templateIds,
      hookUrl: 'http://hooks.test/',
      delay: { amount: 1, unit: 'days' as const },
    };
    this.#graphs = settings.graphs.map((graph) => toDraftGraph(graph, particulars));
  }

  #em = () => this.#orm.em.fork();

  #graph(): DraftGraph {
    const graph = this.#graphs[this.#live];
    if (graph === undefined) throw new Error('The model has only two graphs');
    return graph;
  }

  async begin(): Promise<void> {
    for (const graph of this.#graphs) expect(findGraphFaults(graph)).toEqual([]);
    const { workflowId: id, projectId } = this;
    await insertProject(this.#em(), projectId);
    const domain = await insertDomain(this.#em(), projectId);
    for (const [n, templateId] of this.templateIds.entries()) {
      await sql(
        this.#em(),
        `insert into templates (id, project_id, name, subject, body, from_email, type)
         values ($1, $2, $3, $3, $3, $4, 'TRANSACTIONAL')`,
        [templateId, projectId, `template ${n}`, `hello@${domain}`],
      );
    }
    const { allowReentry } = this.#settings;
    await storeWorkflow(this.#em(), { id, projectId, allowReentry }, this.#graph());
  }

  async act(action: Action): Promise<void> {
    switch (action.kind) {
      case 'track':
        return this.#track(action);
      case 'look':
        for (let time = 0; time < action.times; time += 1) {
          for (const one of await this.#executions()) await this.#turn(one, action.twice);
        }
        return;
      case 'fire': {
        const one = (await this.#executions())[action.index];
        if (one === undefined) return;
        const rows = await sql(
          this.#em(),
          `update workflow_executions set resume_at = clock_timestamp() - interval '1 second'
           where id = $1 and status = 'WAITING' and resume_at is not null returning id`,
          [one.id],
        );
        if (rows.length > 0) one.isBlocked = false;
        return;
      }
      case 'cancel': {
        const one = (await this.#executions())[action.index];
        if (one !== undefined) await cancelExecution(this.#em(), this.workflowId, one.id);
        return;
      }
      case 'start':
        return this.#startByHand(action.who);
      case 'edit':
        this.#live = 1 - this.#live;
        return storeNextVersion(this.#em(), this.workflowId, this.#graph());
      case 'toggle':
        return toggleWorkflow(this.#em(), this.workflowId);
    }
  }

  async #track({ who, name, k, a, subscribed, skewMs }: Extract<Action, { kind: 'track' }>): Promise<void> {
    const project = who === 2 ? this.otherProjectId : this.projectId;
    const input = trackInput(project, `c${who % 2}@example.com`, {
      eventName: name,
      eventData: { k },
      patch: a === undefined ? {} : { a },
      subscribed,
      occurredAt: new Date(Date.now() + skewMs),
    });
    const [tracked] = await trackEvents(this.#em(), [input]);
    this.#contactIds[who] = tracked?.contactId ?? '';
  }

  async #startByHand(who: number): Promise<void> {
    const contactId = this.#contactIds[who];
    const workflow = await this.#em().findOne(Workflow, this.workflowId, allProjects);
    if (contactId === undefined || workflow?.liveVersion == null) return;
    await startExecution(this.#em(), {
      id: randomUUID(),
      workflowId: workflow.id,
      version: workflow.liveVersion,
      contactId,
      context: { by: 'hand' },
    });
  }

  /** In order of their start. An outbox command unblocks its execution. */
  async #executions(): Promise<Driven[]> {
    const rows = await sql<{ id: string; commands: string[] }>(
      this.#em(),
      `with commands as (
         delete from outbox o using workflow_executions x
         where o.subject_id = x.id and x.workflow_id = $1
         returning o.subject_id, o.kind
       )
       select x.id, array(select kind from commands where subject_id = x.id) as commands
       from workflow_executions x where x.workflow_id = $1 order by x.started_at, x.id`,
      [this.workflowId],
    );
    return rows.flatMap(({ id, commands }) => {
      if (commands.includes('execution.start')) {
        this.#driven.set(id, { id, visit: 1, isBlocked: false, isOver: false });
      }
      const one = this.#driven.get(id);
      if (one === undefined) return [];
      if (commands.length > 0) one.isBlocked = false;
      return [one];
    });
  }

  /** One turn of the workflow run: a step and its result. */
  async #turn(one: Driven, isLost: boolean): Promise<void> {
    if (one.isOver || one.isBlocked) return;
    const run = () =>
      this.#em().transactional((em) => runStep(em, graphs, { executionId: one.id, visit: one.visit }));
    const first = await run();
    const answer = isLost && first.follow !== 'end' ? await run() : first;
    if (answer.follow === 'end') {
      one.isOver = true;
      return;
    }
    one.visit = answer.visit;
    one.isBlocked = answer.follow === 'sleep' || answer.follow === 'wait';
    if (answer.follow === 'call') await this.#call(one);
  }

  async #call({ id: executionId, visit }: Driven): Promise<void> {
    for (let nth = 1; nth <= tries; nth += 1) {
      try {
        await callWebhook(this.#orm, graphs, this.#caller(nth), { executionId, visit });
        return;
      } catch {
        const longAgo = `update workflow_step_runs set called_at = called_at - interval '1 minute' where execution_id = $1`;
        await sql(this.#em(), longAgo, [executionId]);
      }
    }
    await this.#em().transactional(async (em) => {
      await lockExecution(em, executionId);
      await endExecution(em, executionId, { status: 'FAILED', error: 'the call did not succeed' });
    });
  }

  #caller(nth: number): WebhookCaller {
    return {
      secretsOf: async () => ['whsec_dGVzdA=='],
      turns: new RenderTurns(1),
      limit: createCallLimit(async () => true),
      linksOf: () => ({ unsubscribeUrl: '', subscribeUrl: '', manageUrl: '', viewUrl: '' }),
      send: async ({ url, body }, mayGoOut) => {
        const { outcomes } = this.#settings;
        const outcome = outcomes[this.#tries % outcomes.length];
        this.#tries += 1;
        if (outcome === 'killed before') throw new Error(outcome);
        if (outcome === 'unreachable') return { outcome: 'failed', message: outcome };
        if ((await mayGoOut?.()) !== true) return { outcome: 'withheld' };
        this.calls.push({ query: new URL(url).search, body: JSON.parse(body ?? 'null') });
        switch (outcome) {
          case 'killed after':
            throw new Error(outcome);
          case 'reset':
            return { outcome: 'failed', message: outcome };
          case 'busy':
            return { outcome: 'answered', statusCode: 503, body: '' };
          case 'none':
            return { outcome: 'answered', statusCode: 404, body: 'none' };
          default:
            return { outcome: 'answered', statusCode: 200, body: JSON.stringify({ k: nth }) };
        }
      },
    };
  }
}
