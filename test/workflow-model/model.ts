import type { Action } from './actions.ts';
import type { ModelNode, Question } from './graphs.ts';
import {
  awaits,
  flipName,
  follows,
  hasEnd,
  isActive,
  isTrue,
  type ModelContact,
  type ModelEvent,
  type ModelExecution,
  type ModelRun,
  type Settings,
  type Values,
} from './model-state.ts';

const tries = 5;

/** The specification of workflows as a sequential in-memory model. */
export class Model {
  contacts: (ModelContact | undefined)[] = [];
  events: ModelEvent[] = [];
  executions: ModelExecution[] = [];
  emails: { who: number; template: number; to: string | null; event: Values; context: Values }[] = [];
  calls: { query: string; body: Values }[] = [];
  #clock = 0;
  #tries = 0;
  #live = 0;
  #isEnabled = true;
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  act(action: Action): void {
    switch (action.kind) {
      case 'track':
        this.#track(action);
        return;
      case 'look':
        for (let time = 0; time < action.times; time += 1) for (const one of this.executions) this.#look(one);
        return;
      case 'fire': {
        const one = this.executions[action.index];
        if (one?.status === 'WAITING' && hasEnd(one)) one.isDue = true;
        return;
      }
      case 'cancel': {
        const one = this.executions[action.index];
        if (one && isActive(one)) one.status = 'CANCELLED';
        return;
      }
      case 'start':
        if (this.contacts[action.who]) this.#start(action.who, { context: { by: 'hand' } });
        return;
      case 'edit':
        this.#live = 1 - this.#live;
        return;
      case 'toggle':
        this.#isEnabled = !this.#isEnabled;
    }
  }

  endDelays(): void {
    for (const one of this.executions) {
      if (one.status === 'WAITING' && one.graph[one.runs.at(-1)?.step ?? -1]?.type === 'DELAY')
        one.isDue = true;
    }
  }

  isIdle(): boolean {
    return this.executions.every(
      (one) => !isActive(one) || (one.status === 'WAITING' && !one.isDue && one.hit === undefined),
    );
  }

  #track({ who, name, k, a, subscribed }: Extract<Action, { kind: 'track' }>): void {
    this.#clock += 1;
    const known = this.contacts[who];
    const contact = known ?? { subscribed: subscribed ?? true, data: {} };
    this.contacts[who] = contact;
    const flips = known !== undefined && subscribed !== undefined && known.subscribed !== subscribed;
    if (subscribed !== undefined) contact.subscribed = subscribed;
    if (a !== undefined) contact.data.a = a;
    const events = [{ who, name, data: { k } }];
    this.#match(flips ? [...events, { who, name: flipName(subscribed), data: {} }] : events);
  }

  /** Simultaneous events: none comes after the effects of another. */
  #match(tracked: Omit<ModelEvent, 'at'>[]): void {
    const events = tracked.map((event) => ({ ...event, at: this.#clock }));
    this.events.push(...events);
    for (const event of events) {
      const waiting = this.executions.filter((one) => one.status === 'WAITING' && one.who === event.who);
      for (const one of waiting) if (awaits(one) === event.name) this.#hit(one, event);
      if (event.name === this.#settings.eventName && this.#isEnabled && event.who !== 2) {
        this.#start(event.who, { event });
      }
    }
  }

  #start(who: number, { event, context = {} }: { event?: ModelEvent; context?: Values }): void {
    const others = this.executions.filter((one) => one.who === who);
    if (this.#settings.allowReentry ? others.some(isActive) : others.length > 0) return;
    this.executions.push({
      graph: this.#settings.graphs[this.#live] ?? [],
      who,
      status: 'RUNNING',
      exitReason: null,
      context,
      event: event?.data ?? {},
      runs: [],
      since: this.#clock,
      isDue: false,
      hit: undefined,
      isCalled: false,
      used: new Set(event ? [event] : []),
    });
  }

  /** One turn: ends the current step or enters the next one. */
  #look(one: ModelExecution): void {
    if (!isActive(one)) return;
    const run = one.runs.at(-1);
    const node = run && one.graph[run.step];
    if (run === undefined || node === undefined) {
      this.#enter(one, 0);
      return;
    }
    if (one.hit !== undefined) {
      Object.assign(one.context, one.hit.data);
      Object.assign(one, { status: 'RUNNING', isDue: false, hit: undefined });
      this.#leave(one, node, run);
      return;
    }
    if (one.status === 'WAITING') {
      if (!one.isDue) return;
      this.#end(one, run, node.type === 'WAIT_FOR_EVENT' ? 'timeout' : null);
      this.#leave(one, node, run);
      return;
    }
    // A call takes one turn; the next turn only follows the transition.
    if (one.isCalled) {
      one.isCalled = false;
      this.#leave(one, node, run);
      return;
    }
    const next = follows(node, run.branch);
    if (next !== undefined) this.#enter(one, next);
  }

  #hit(one: ModelExecution, event: ModelEvent): void {
    const run = one.runs.at(-1);
    if (run === undefined) return;
    Object.assign(run, {
      branch: 'event',
      output: { eventName: event.name, data: event.data },
      isOver: true,
    });
    one.used.add(event);
    Object.assign(one, { hit: event, since: this.#clock });
  }

  #leave(one: ModelExecution, node: ModelNode, run: ModelRun): void {
    const next = follows(node, run.branch);
    if (next === undefined) one.status = 'COMPLETED';
    else if (one.graph[next]?.type === 'EXIT') this.#enter(one, next);
  }

  #end(one: ModelExecution, run: ModelRun, branch: string | null, output: Values | null = null): void {
    Object.assign(run, { branch, output, isOver: true });
    Object.assign(one, { status: 'RUNNING', isDue: false, since: this.#clock });
  }

  #enter(one: ModelExecution, step: number): void {
    const node = one.graph[step];
    if (node === undefined) throw new Error('The model has reached a step outside its graph');
    const run: ModelRun = { step, branch: null, output: null, isOver: false };
    one.runs.push(run);
    const contact = this.contacts[one.who] ?? { subscribed: true, data: {} };
    switch (node.type) {
      case 'EXIT':
        this.#end(one, run, null);
        one.status = 'EXITED';
        one.exitReason = node.reason;
        return;
      case 'DELAY':
        one.status = 'WAITING';
        return;
      case 'WAIT_FOR_EVENT': {
        one.status = 'WAITING';
        const found = this.events.find(
          (event) =>
            event.who === one.who &&
            event.name === node.eventName &&
            event.at > one.since &&
            !one.used.has(event),
        );
        if (found === undefined) return;
        one.used.add(found);
        this.#end(one, run, 'event', { eventName: found.name, data: found.data });
        Object.assign(one.context, found.data);
        break;
      }
      case 'SEND_EMAIL':
        this.emails.push({
          who: one.who,
          template: node.template,
          to: node.to,
          event: { ...one.event },
          context: structuredClone(one.context),
        });
        this.#end(one, run, null, {});
        break;
      case 'CONDITION': {
        const holds = (asked: Question) => isTrue(asked, one, contact, this.events);
        const isMet = node.logic === 'AND' ? node.questions.every(holds) : node.questions.some(holds);
        const branch = isMet ? 'yes' : 'no';
        this.#end(one, run, branch, { branch });
        break;
      }
      case 'UPDATE_CONTACT': {
        this.#clock += 1;
        if (node.a === null) delete contact.data.a;
        else if (node.a !== undefined) contact.data.a = node.a;
        if (node.subscribed !== undefined && node.subscribed !== contact.subscribed) {
          contact.subscribed = node.subscribed;
          this.#match([{ who: one.who, name: flipName(node.subscribed), data: {} }]);
        }
        this.#end(one, run, null);
        break;
      }
      case 'WEBHOOK':
        this.#call(one, run, contact);
        return;
    }
    this.#leave(one, node, run);
  }

  #call(one: ModelExecution, run: ModelRun, contact: ModelContact): void {
    const { outcomes } = this.#settings;
    const name = `s${run.step}`;
    const finish = (statusCode: number | null, body: unknown) => {
      this.#end(one, run, null, { statusCode, body });
      one.context[name] = { statusCode, body };
      one.isCalled = true;
    };
    for (let nth = 1; nth <= tries; nth += 1) {
      const outcome = outcomes[this.#tries % outcomes.length];
      this.#tries += 1;
      if (outcome !== 'unreachable' && outcome !== 'killed before') {
        const text = (value: unknown) => (value === undefined ? '' : String(value));
        this.calls.push({
          query: `?c=${text(one.context.k)}&e=${text(one.event.k)}`,
          body: { a: text(contact.data.a), n: run.step },
        });
      }
      if (outcome === 'ok') {
        finish(200, { k: nth });
        return;
      }
      if (outcome === 'none') {
        finish(404, 'none');
        return;
      }
      // The next attempt does not know the outcome of this one.
      if (outcome === 'killed after' && nth < tries) {
        finish(null, null);
        return;
      }
    }
    run.isOver = true;
    one.status = 'FAILED';
  }
}
