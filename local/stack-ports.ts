import { type EmbeddedParts, type LocalEnvironment, neededPorts } from './environment.ts';
import {
  type PortName,
  type PortNumbers,
  type ReservedPort,
  readRememberedPorts,
  reservePort,
} from './ports.ts';

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
      const request = { name, explicit: settings[name], remembered: remembered[name], host };
      reserved[name] = await reservePort(request);
    }
    return reserved;
  } catch (error) {
    await Promise.all(Object.values(reserved).map((port) => port.release()));
    throw error;
  }
}

export const portNumbers = (reserved: ReservedPorts): PortNumbers =>
  Object.fromEntries(Object.entries(reserved).map(([name, { port }]) => [name, port]));
