import { ApplicationFailure } from '@temporalio/activity';
import { isStorableText, type JsonValue, tryParseJson } from '../../../core/json-value.ts';
import type { OutboundResult } from '../../../providers/outbound/outbound-http.ts';

/** What a WEBHOOK step adds to the context; both null when the response was lost. */
export interface CallAnswer {
  statusCode: number | null;
  body: JsonValue;
}

export type CallOutcome =
  | { is: 'withheld' }
  | { is: 'answered'; answer: CallAnswer }
  | { is: 'failed'; failure: ApplicationFailure }
  | { is: 'refused'; failure: ApplicationFailure };

export function readOutcome(result: OutboundResult): CallOutcome {
  switch (result.outcome) {
    case 'withheld':
      return { is: 'withheld' };
    case 'refused':
      return { is: 'refused', failure: ApplicationFailure.nonRetryable(result.message, 'refused') };
    case 'failed':
      return { is: 'failed', failure: ApplicationFailure.retryable(result.message, 'failed') };
    case 'answered': {
      const { statusCode } = result;
      if (statusCode === 408 || statusCode === 429 || statusCode >= 500) {
        const failure = ApplicationFailure.retryable(`The answer was ${statusCode}`, 'answered');
        return { is: 'failed', failure };
      }
      return { is: 'answered', answer: { statusCode, body: parseBody(result.body) } };
    }
  }
}

/** Templates read no deeper either. */
const maxDepth = 100;

/**
 * Returns parsed JSON if Postgres can store it, otherwise the text without NUL characters and lone
 * surrogates.
 */
function parseBody(text: string): JsonValue {
  const parsed = tryParseJson(text);
  // as: what JSON.parse returns.
  return parsed !== undefined && isStorable(parsed as JsonValue)
    ? (parsed as JsonValue)
    : text.replaceAll('\0', '').toWellFormed();
}

/** JSON may escape what no text of Postgres holds, in values and in keys. */
function isStorable(value: JsonValue, depth = 0): boolean {
  if (typeof value === 'string') return isStorableText(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth >= maxDepth) return false;
  if (Array.isArray(value)) return value.every((item) => isStorable(item, depth + 1));
  return Object.entries(value).every(([key, item]) => isStorableText(key) && isStorable(item, depth + 1));
}
