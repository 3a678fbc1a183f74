def week_of_old_calendar(day):
    return day.timetuple().tm_yday // 7
