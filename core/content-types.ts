/** Decides who may get an email (API contract, "Template"). */
export const contentTypes = ['TRANSACTIONAL', 'MARKETING', 'HEADLESS'] as const;

export type ContentType = (typeof contentTypes)[number];
