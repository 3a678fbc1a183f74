exports.isLeapYear = (year) => year % 4 === 0;

exports.daysInYear = (year) => (exports.isLeapYear(year) ? 366 : 365);
