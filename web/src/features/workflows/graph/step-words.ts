import { readCondition } from '../../segments/condition-builder/condition.ts';
import { describeCondition } from '../../segments/condition-builder/describe-condition.ts';
import { durationText, fromSeconds } from './duration.ts';
import type { Step } from './graph.ts';

export interface Names {
  template: (id: string) => string | undefined;
  /** Of segments and campaigns. */
  ofCondition: (id: string) => string | undefined;
}

/** What a step does, in one line; empty while it is not configured. */
export function stepWords({ type, config, templateId }: Step, names: Names): string {
  switch (type) {
    case 'TRIGGER':
      return `When “${config.eventName}” happens`;
    case 'SEND_EMAIL':
      return templateId === null
        ? ''
        : `${names.template(templateId) ?? 'A template'}${recipientWords(config)}`;
    case 'DELAY':
      return config.amount === undefined || config.unit === undefined
        ? ''
        : durationText(config.amount, config.unit);
    case 'WAIT_FOR_EVENT':
      return config.eventName === undefined ? '' : `“${config.eventName}”, ${limitWords(config.timeout)}`;
    case 'CONDITION':
      return Object.keys(config).length === 0
        ? ''
        : describeCondition(readCondition(config), names.ofCondition);
    case 'WEBHOOK':
      return config.url === undefined ? '' : `${config.method ?? 'POST'} ${config.url}`;
    case 'UPDATE_CONTACT':
      return changeWords(config);
    case 'EXIT':
      return typeof config.reason === 'string' ? config.reason : 'Ends here';
  }
}

function recipientWords({ recipient }: Step['config']): string {
  if (typeof recipient !== 'object' || recipient === null || !('email' in recipient)) return '';
  return 'type' in recipient && recipient.type === 'CUSTOM' ? ` to ${recipient.email}` : '';
}

function limitWords(timeout: unknown): string {
  if (typeof timeout !== 'number') return 'however long it takes';
  const { amount, unit } = fromSeconds(timeout);
  return `at most ${durationText(amount, unit)}`;
}

function changeWords({ data, subscribed }: Step['config']): string {
  const keys = typeof data === 'object' && data !== null ? Object.keys(data) : [];
  const parts = [
    ...(keys.length > 0 ? [`sets ${keys.join(', ')}`] : []),
    ...(typeof subscribed === 'boolean' ? [subscribed ? 'subscribes' : 'unsubscribes'] : []),
  ];
  const text = parts.join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
