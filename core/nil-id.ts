/** Stands for no project, contact or email, and sorts before every id. */
export const nilId = '00000000-0000-0000-0000-000000000000';
