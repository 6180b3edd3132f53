export const segmentTypes = ['DYNAMIC', 'STATIC'] as const;
