import type { EmbeddedParts, LocalEnvironment } from './environment.ts';
import { neededPorts } from './environment.ts';
import { type PortName, type ReservedPort, readRememberedPorts, reservePort } from './ports.ts';

export type ReservedPorts = Partial<Record<PortName, ReservedPort>>;

/**
 * Reserves the ports of a run, the remembered ones where they are free. @throws LocalStackError, with no port reserved
 */
export async function reservePorts(
  settings: LocalEnvironment,
  parts: EmbeddedParts,
  dataDirectory: string,
): Promise<ReservedPorts> {
  const remembered = await readRememberedPorts(dataDirectory);
  const reserved: ReservedPorts = {};
  try {
    for (const name of neededPorts(parts)) {
      const host = name === 'PORT' ? settings.HOST : '127.0.0.1';
      reserved[name] = await reservePort({
        name,
        explicit: settings[name],
        remembered: remembered[name],
        host,
      });
    }
    return reserved;
  } catch (error) {
    await Promise.all(Object.values(reserved).map((port) => port.release()));
    throw error;
  }
}

export type PortNumbers = Partial<Record<PortName, number>>;

export function portNumbers(reserved: ReservedPorts): PortNumbers {
  const entries = Object.entries(reserved).map(([name, { port }]) => [name, port]);
  return Object.fromEntries(entries);
}
