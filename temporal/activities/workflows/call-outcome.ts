import { ApplicationFailure } from '@temporalio/activity';
import { isStorableJson, type JsonValue } from '../../../core/json-value.ts';
import type { OutboundResult } from '../../../providers/outbound/outbound-http.ts';

/** What a WEBHOOK step adds to the context; both are null when the response was lost. */
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

/** Returns parsed JSON if it can be stored, otherwise the text without NUL characters and lone surrogates. */
function parseBody(text: string): JsonValue {
  const storable = text.replaceAll('\0', '').toWellFormed();
  try {
    const parsed: JsonValue = JSON.parse(storable);
    return isStorableJson(parsed) ? parsed : storable;
  } catch {
    return storable;
  }
}
