export const HelloToolset = [];
