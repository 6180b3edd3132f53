import { domainOfAddress } from './email-address.ts';

/**
 * Whether an address belongs to the SES mailbox simulator. Mail to it is for trying things out: it never
 * counts towards a project's bounce and complaint rates.
 */
export function isSimulatorAddress(address: string): boolean {
  return domainOfAddress(address).toLowerCase() === 'simulator.amazonses.com';
}
