import type { SendingCategory } from '../../core/billing/categories.ts';
import { DomainError } from '../../core/errors.ts';

const names: Readonly<Record<SendingCategory, string>> = {
  transactional: 'transactional emails',
  campaigns: 'emails of campaigns',
  workflows: 'emails of workflows',
};

export function limitExceeded(
  category: SendingCategory,
  wanted: number,
  left: number | undefined = undefined,
): DomainError {
  const rest = left === undefined ? 'fewer than that' : String(left);
  return new DomainError(
    'BILLING_LIMIT_EXCEEDED',
    `This would send ${wanted} ${names[category]}, but the project may send only ${rest} more this month`,
    {
      details: { category, wanted, ...(left !== undefined && { left }) },
      suggestion:
        'Raise the limit with PUT /users/@me/projects/{id}/billing-limits, or wait for the next month.',
    },
  );
}
