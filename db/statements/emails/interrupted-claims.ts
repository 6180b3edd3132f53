export const interruptedReason = 'the process ended during the hand-over';
export const notBegunReason = 'the process ended before the hand-over';
