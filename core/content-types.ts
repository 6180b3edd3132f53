export const contentTypes = ['TRANSACTIONAL', 'MARKETING', 'HEADLESS'] as const;

export type ContentType = (typeof contentTypes)[number];
