import { config } from 'zod';

// Zod would try whether it may compile code. Our content security policy forbids that, and Firefox reports each try.
config({ jitless: true });
