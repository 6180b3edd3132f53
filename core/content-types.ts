/** Decides who may get an email. */
export const contentTypes = ['TRANSACTIONAL', 'MARKETING', 'HEADLESS'] as const;

export type ContentType = (typeof contentTypes)[number];
