import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

/** Channel on which every process hears of changed projects; the payload is the project's id. */
const projectChangedChannel = 'project_changed';

/** Channel on which the database says that events have left commands for Temporal (`hear_events`). */
const commandsLeftChannel = 'commands_left';

const heartbeatMs = 5_000;
const firstRetryMs = 100;
const longestRetryMs = 5_000;

export interface ProjectChanges {
  /** Whether changes of other processes arrive right now. While they don't, nothing may be taken from a cache. */
  readonly isConnected: boolean;
  /** Calls back with the id of each changed project; with null when any project may have changed unheard. */
  onChange(listener: (projectId: string | null) => void): void;
  /** Calls back when the events of any process have left commands for Temporal. */
  onCommands(listener: () => void): void;
  /** Connects in the background and stays connected until `close`. */
  start(): void;
  close(): Promise<void>;
}

export interface ProjectChangesOptions {
  databaseUrl: string;
  /** Told when the connection is lost. */
  warn: (message: string, error: unknown) => void;
}

/** Listens for changed projects on a Postgres connection of its own. */
export function createProjectChanges(options: ProjectChangesOptions): ProjectChanges {
  const listeners: ((projectId: string | null) => void)[] = [];
  const commandListeners: (() => void)[] = [];
  const closing = new AbortController();
  let connected = false;
  let retryMs = firstRetryMs;
  let running: Promise<void> = Promise.resolve();

  const tell = (projectId: string | null) => {
    for (const listener of listeners) listener(projectId);
  };

  /** Runs until the connection is lost or closed, and then throws. */
  async function listen(): Promise<void> {
    const client = new pg.Client({
      connectionString: options.databaseUrl,
      application_name: 'posthaste-listen',
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
      query_timeout: heartbeatMs,
    });
    const lost = Promise.withResolvers<never>();
    client.on('error', (error) => {
      connected = false;
      lost.reject(error);
    });
    client.on('end', () => {
      connected = false;
      lost.reject(new Error('The connection ended'));
    });
    client.on('notification', ({ channel, payload }) => {
      if (channel === commandsLeftChannel) for (const listener of commandListeners) listener();
      else tell(payload ?? null);
    });
    lost.promise.catch(() => undefined);
    try {
      await client.connect();
      await client.query(`listen ${projectChangedChannel}`);
      await client.query(`listen ${commandsLeftChannel}`);
      // Whatever happened between the last connection and this one was not heard.
      tell(null);
      connected = true;
      retryMs = firstRetryMs;
      while (!closing.signal.aborted) {
        const pause = delay(heartbeatMs, undefined, { signal: closing.signal, ref: false });
        await Promise.race([lost.promise, pause]);
        await client.query('select 1');
      }
    } finally {
      connected = false;
      client.end().catch(() => undefined);
    }
  }

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        await listen();
      } catch (error) {
        if (closing.signal.aborted) return;
        options.warn('Lost the connection that hears of changed projects', error);
        await delay(retryMs, undefined, { signal: closing.signal }).catch(() => undefined);
        retryMs = Math.min(retryMs * 2, longestRetryMs);
      }
    }
  }

  return {
    get isConnected() {
      return connected;
    },
    onChange: (listener) => {
      listeners.push(listener);
    },
    onCommands: (listener) => {
      commandListeners.push(listener);
    },
    start: () => {
      running = run();
    },
    close: async () => {
      closing.abort();
      await running;
    },
  };
}
