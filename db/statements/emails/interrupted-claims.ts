export const interruptedReason = 'the process ended during the hand-over';
