export const reverse = (text) => text.split('').reverse().join('');
export const isPalindrome = (text) => text === reverse(text);
