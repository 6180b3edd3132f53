import type { ContractLine } from './line.ts';
import { accountPageLines } from './lines/account-pages.ts';
import { accountLines } from './lines/accounts.ts';
import { billingLines } from './lines/billing.ts';
import { campaignLines } from './lines/campaigns.ts';
import { contactLines } from './lines/contacts.ts';
import { domainLines } from './lines/domains.ts';
import { emailPreviewLines } from './lines/email-preview.ts';
import { eventLines } from './lines/events.ts';
import { projectLines } from './lines/projects.ts';
import { segmentLines } from './lines/segments.ts';
import { sendingLines } from './lines/sending.ts';
import { serviceLines } from './lines/service.ts';
import { templateLines } from './lines/templates.ts';
import { workflowLines } from './lines/workflows.ts';

/** Every line of the API, listed independently: the routes and the OpenAPI document must match it. */
export const lines: readonly ContractLine[] = [
  ...sendingLines,
  ...contactLines,
  ...templateLines,
  ...campaignLines,
  ...emailPreviewLines,
  ...segmentLines,
  ...workflowLines,
  ...eventLines,
  ...domainLines,
  ...accountLines,
  ...accountPageLines,
  ...projectLines,
  ...billingLines,
  ...serviceLines,
];
