/** Recipients that are sent to together. */
export const recipientsPerBatch = 500;
