/** How far the total of a list can be relied on: `minimum` counts only what was looked at. */
export const totalAccuracies = ['exact', 'minimum', 'estimate'] as const;
export type TotalAccuracy = (typeof totalAccuracies)[number];
