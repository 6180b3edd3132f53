/**
 * `PENDING`: not read yet. `REJECTED`: virus or spam, stored without content. `UNREADABLE`: malformed, too large or
 * not retrievable, stored without content.
 */
export const inboundStatuses = ['PENDING', 'KEPT', 'REJECTED', 'UNREADABLE'] as const;

export type InboundStatus = (typeof inboundStatuses)[number];
