export const BothToolset = [];
