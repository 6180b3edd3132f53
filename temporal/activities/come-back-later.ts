import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';

/**
 * The failure of an attempt that is put off because others are under way: Temporal tries it again after the delay, which is
 * random, so that not all come back together, and counts it as no error.
 */
export const comeBackLater = (message: string, shortestMs: number, longestMs: number) =>
  ApplicationFailure.create({
    message,
    category: ApplicationFailureCategory.BENIGN,
    nextRetryDelay: Math.round(shortestMs + Math.random() * (longestMs - shortestMs)),
  });
