import pg from 'pg';
import type { Lane } from '../core/outbox-lanes.ts';
import { pause } from '../core/pause.ts';

export const projectChangedChannel = 'project_changed';

/**
 * Notified when a transaction leaves commands for Temporal: without a payload by `start_and_wake_executions`, with
 * `emailsLeft` for emails.
 */
export const commandsLeftChannel = 'commands_left';
export const emailsLeft = 'emails';

/** Notified with the id of a campaign that starts to send. */
export const campaignStartedChannel = 'campaign_started';

const usualHeartbeatMs = 5_000;
const answerMs = 5_000;
const firstRetryMs = 100;
const longestRetryMs = 5_000;

export interface DatabaseListenerOptions {
  databaseUrl: string;
  warn: (message: string, error: unknown) => void;
  /** How often the connection is tried. Default 5,000. */
  heartbeatMs?: number;
}

/** Receives what transactions of other processes notify, on a connection of its own. One per process. */
export class DatabaseListener {
  readonly #options: DatabaseListenerOptions;
  readonly #listeners: ((projectId: string | null) => void)[] = [];
  readonly #commandListeners: ((lane: Lane) => void)[] = [];
  readonly #campaignListeners: ((campaignId: string) => void)[] = [];
  readonly #closing = new AbortController();
  #isConnected = false;
  #retryMs = firstRetryMs;
  #running: Promise<void> = Promise.resolve();

  constructor(options: DatabaseListenerOptions) {
    this.#options = options;
  }

  /** False while notifications from other processes may be missed; caches must not be used then. */
  get isConnected(): boolean {
    return this.#isConnected;
  }

  /**
   * Calls back with the id of each changed project, or with null when any project may have changed without a
   * notification.
   */
  onProjectChange(listener: (projectId: string | null) => void): void {
    this.#listeners.push(listener);
  }

  /** Calls back with the lane in which a transaction of any process left commands. Some notifications get lost. */
  onCommands(listener: (lane: Lane) => void): void {
    this.#commandListeners.push(listener);
  }

  /** Calls back with each campaign that any process starts. Some notifications get lost. */
  onCampaignStarted(listener: (campaignId: string) => void): void {
    this.#campaignListeners.push(listener);
  }

  start(): void {
    this.#running = this.#run();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await this.#listen();
      } catch (error) {
        if (signal.aborted) return;
        this.#options.warn('Lost the connection that receives notifications', error);
        await pause(this.#retryMs, signal);
        this.#retryMs = Math.min(this.#retryMs * 2, longestRetryMs);
      }
    }
  }

  /** Never resolves; rejects when the connection is lost or closed. */
  async #listen(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#options.databaseUrl,
      application_name: 'posthaste-listen',
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
      query_timeout: answerMs,
    });
    const ending = AbortSignal.any([this.#closing.signal, this.#watch(client)]);
    try {
      await client.connect();
      for (const channel of [projectChangedChannel, commandsLeftChannel, campaignStartedChannel]) {
        await client.query(`listen ${channel}`);
      }
      // Notifications sent between the previous connection and this one are lost.
      this.#notify(null);
      this.#isConnected = true;
      this.#retryMs = firstRetryMs;
      for (;;) {
        await pause(this.#options.heartbeatMs ?? usualHeartbeatMs, ending);
        ending.throwIfAborted();
        await client.query('select 1');
      }
    } finally {
      this.#isConnected = false;
      client.end().catch(() => undefined);
    }
  }

  /** @returns aborts when the connection is lost; a promise would keep something of each wait for it */
  #watch(client: pg.Client): AbortSignal {
    const lost = new AbortController();
    const lose = (error: Error) => {
      this.#isConnected = false;
      lost.abort(error);
    };
    client.on('error', lose);
    client.on('end', () => lose(new Error('The connection ended')));
    client.on('notification', ({ channel, payload }) => this.#receive(channel, payload));
    return lost.signal;
  }

  #receive(channel: string, payload: string | undefined): void {
    if (channel === commandsLeftChannel) {
      for (const listener of this.#commandListeners) listener(payload === emailsLeft ? 'emails' : 'work');
    } else if (channel !== campaignStartedChannel) this.#notify(payload ?? null);
    else if (payload !== undefined) for (const listener of this.#campaignListeners) listener(payload);
  }

  #notify(projectId: string | null): void {
    for (const listener of this.#listeners) listener(projectId);
  }
}
