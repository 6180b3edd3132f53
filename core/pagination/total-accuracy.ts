/** How reliable a list's total is: `minimum` counts only the rows that were read. */
export const totalAccuracies = ['exact', 'minimum', 'estimate'] as const;
export type TotalAccuracy = (typeof totalAccuracies)[number];
